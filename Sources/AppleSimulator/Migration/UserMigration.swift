import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// The requests of two teams while an app is transferred. Apple's pages "Transferring your apps and users to another team" and
/// "Bringing new apps and users into your team".
extension SimulatedApple {
    /// `POST /auth/token` with `client_credentials`: grants permission to migrate users, for one hour.
    func grantMigration(_ form: Form, client: Registry.Client) -> Response {
        guard form["scope"] == "user.migration" else { return oauthError("invalid_scope", "scope must be user.migration") }
        let token = state.withLock { $0.transfers.issueToken(to: client.team, at: now) }
        return .json([
            "access_token": .string(token), "token_type": "Bearer", "expires_in": .integer(Int(Transfers.tokenLifetime)),
        ])
    }

    /// `POST /auth/usermigrationinfo`: the old team sends `sub` and `target` and receives `transfer_sub`. The new team sends
    /// `transfer_sub` and receives its own `sub`. The old team may call it before the transfer, and both teams for 60 days after it.
    func migrateUser(_ request: Request, context: SimulatorContext) async throws -> Response {
        guard let form = try await form(request) else {
            return oauthError("invalid_request", "the body is not a form with each field once")
        }
        let bearer = request.headers[.authorization].flatMap { header in
            header.utf8.starts(with: "Bearer ".utf8) ? String(Substring(header.utf8.dropFirst("Bearer ".utf8.count))) : nil
        }
        return try await answer(.userMigration, clientID: form["client_id"], context: context) { faults in
            for case .error(let code) in faults { return oauthError(code, "a fault") }
            let client: Registry.Client
            switch try await authenticate(form, migrating: true, at: now) {
            case .client(let known): client = known
            case .refused(let response): return response
            }
            guard let bearer, state.withLock({ $0.transfers.isGood(bearer, of: client.team, at: now) }) else {
                var refused = oauthError("invalid_client", "the bearer token is missing, expired or another team's")
                refused.status = .unauthorized
                return refused
            }
            switch (form["sub"], form["target"], form["transfer_sub"]) {
            case (let subject?, let target?, nil): return send(subject, to: target, client)
            case (nil, nil, let transferSubject?): return receive(transferSubject, client)
            default: return oauthError("invalid_request", "send either sub and target, or transfer_sub")
            }
        }
    }

    private func send(_ subject: String, to target: Team.ID, _ client: Registry.Client) -> Response {
        let (isTeam, consent) = state.withLock { state in
            (state.registry.teams[target] != nil && target != client.team, state.grants.consent(subject: subject, to: client.team))
        }
        guard isTeam else { return oauthError("invalid_request", "target is not another team") }
        guard let consent else { return oauthError("invalid_request", "sub has not consented to this team") }
        return .json(["transfer_sub": .string(Grants.transferSubject(of: consent.person.id, from: client.team, to: target))])
    }

    private func receive(_ transferSubject: String, _ client: Registry.Client) -> Response {
        let consent = state.withLock { state -> Grants.Consent? in
            guard let transfer = state.transfers.underWay(client.id, at: now), transfer.to == client.team else { return nil }
            let person = transfer.people.first {
                Grants.transferSubject(of: $0, from: transfer.from, to: transfer.to) == transferSubject
            }
            return person.flatMap { state.grants.consent(of: $0, to: transfer.to) }
        }
        guard let consent else {
            return oauthError("invalid_request", "transfer_sub does not belong to a person transferred to this team in the last 60 days")
        }
        var answer: [String: JSONValue] = ["sub": .string(consent.subject)]
        if consent.isPrivateEmail, let email = consent.email {
            answer["email"] = .string(email)
            answer["is_private_email"] = IDToken.claim(true, consent.person.booleanStyle)
        }
        return .json(.object(answer))
    }

    /// `POST /simulator/transfers`: the portal's "Transfer app", accepted by the other team.
    func transferClient(_ request: Request, context: SimulatorContext) async throws -> Response {
        var fields = try JSONFields(try await body(request))
        let (clientID, team) = (try fields.string("client_id"), try fields.string("team"))
        try fields.end()
        let transfer = try state.withLock { state throws(RegistryError) in
            guard let client = state.registry.client(clientID) else { throw fields.error("client_id", "is not registered") }
            try state.registry.move(client, to: team)
            let transfer = Transfers.Transfer(
                from: client.team, to: team, at: now, people: state.grants.transferConsents(from: client.team, to: team))
            state.transfers.add(transfer, of: clientID)
            return transfer
        }
        return .json(
            [
                "client_id": .string(clientID), "from": .string(transfer.from), "to": .string(transfer.to),
                "people": .integer(transfer.people.count),
            ], status: .created)
    }
}
