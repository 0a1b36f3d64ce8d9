import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// Functions that only a simulator has: native sign-ins without a device, key rotation on demand, faults, and a
/// reset.
extension SimulatedApple {
    /// Returns the result of Apple's framework in a native app: a code without redirect URI, an id_token, and the name
    /// at the first time.
    func authorizeNatively(_ request: Request, context: SimulatorContext) async throws -> Response {
        var fields = try JSONFields(try await body(request))
        let (bundleID, person) = (try fields.string("client_id"), try fields.string("person"))
        let nonce = try fields.optionalString("nonce")
        let hidesEmail = try fields.optionalBool("hides_email") ?? false
        try fields.end()
        let who = try Decision.who(person)
        let (code, value, isFirst) = try state.withLock { state throws(RegistryError) in
            guard case .app(_, let team)? = state.registry.client(bundleID) else {
                throw fields.error("client_id", "is not a registered bundle ID")
            }
            let (consent, isFirst) = state.consent(
                of: who, to: team, Decision.Sheet(hidesEmail: hidesEmail), scopes: Set(Scope.allCases))
            let code = Grants.Code(
                clientID: bundleID, redirectURI: nil, nonce: nonce, consent: consent, realUserStatus: isFirst ? 2 : nil,
                expires: now + Grants.codeLifetime)
            return (code, state.grants.issue(code, at: now), isFirst)
        }
        let idToken = IDToken(
            issuer: configuration.issuer, clientID: bundleID, consent: code.consent, nonce: nonce,
            realUserStatus: code.realUserStatus, code: value,
            transferSubject: state.withLock { $0.transferSubject(of: code.consent, clientID: bundleID, at: now) })
        var answer: [String: JSONValue] = [
            "authorization_code": .string(value), "user": .string(code.consent.subject),
            "identity_token": .string(try await signingKeys.sign(idToken.claims(at: now))),
        ]
        if isFirst {
            answer["full_name"] = ["given_name": .string(code.consent.givenName), "family_name": .string(code.consent.familyName)]
        }
        return .json(.object(answer), status: .created)
    }

    func rotateSigningKeys(_ request: Request, context: SimulatorContext) async throws -> Response {
        try await signingKeys.rotate()
        return .json(try await signingKeys.jwks)
    }

    func addFault(_ request: Request, context: SimulatorContext) async throws -> Response {
        let fault = try FaultRequest(try await body(request))
        let added = state.withLock { $0.faults.add(fault.effect, at: fault.endpoint, clientID: fault.clientID, times: fault.times) }
        return .json(added.json, status: .created)
    }

    func listFaults(_ request: Request, context: SimulatorContext) async throws -> Response {
        .json(["faults": .array(state.withLock { $0.faults.faults.map(\.json) })])
    }

    func clearFault(_ request: Request, context: SimulatorContext) async throws -> Response {
        let id = try context.parameters.require("fault", as: Int.self)
        guard state.withLock({ $0.faults.clear(id) }) else { throw RegistryError(path: "fault", "is not in force", status: .notFound) }
        return Response(status: .noContent)
    }

    /// Clears all faults, or those of `?client_id=`.
    func clearFaults(_ request: Request, context: SimulatorContext) async throws -> Response {
        guard let form = try? Form(request.uri.query ?? "") else { throw RegistryError(path: "client_id", "is badly encoded") }
        state.withLock { $0.faults.clear(clientID: form["client_id"]) }
        return Response(status: .noContent)
    }

    /// Restores the state of the start: the configured registry, no grants, no faults. The signing keys stay.
    func reset(_ request: Request, context: SimulatorContext) async throws -> Response {
        state.withLock { $0 = State(registry: configuration.registry) }
        return Response(status: .noContent)
    }
}
