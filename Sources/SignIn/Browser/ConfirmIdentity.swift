import Access
import Accounts
import Encoding
import Foundation
import Hummingbird
import Logging
import Pages
import Postgres
import Sessions
import Tenancy
import Users
import Web

extension SignInRoutes {
    /// The page after Apple's response to an attempt that adds an Apple Account. It names the user by what Apple signed, or by the ID. A
    /// name proves nothing, because a browser sends it. Another person with the address of the page learns only the start of the user's address.
    func askToConnect(
        _ question: LinkQuestion, of returned: ReturnedAttempt, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let tenant = returned.tenant
        let user = try await endpoints.showingOutage(.outageAtCallback, context) {
            try await OwnerDatabase(signInNatively.pool, tenant: tenant.tenant.id).repeatable
                .run(User.find(question.user, of: tenant.tenant.id)).first(User.init)
        }
        guard let user else { throw ErrorPage.linkUnreadable.leading(to: returned.application) }
        metrics.count(.callback, "asked_to_connect")
        let address = user.emailVerified ? user.email.map(Self.masked) : nil
        let frame = PageFrame(request, tenant, context)
        return ConnectPage(
            address: question.address, account: address ?? user.id.description,
            path: "\(tenant.tenant.path)/oauth2/identities", query: frame.query, attempt: returned.state, ticket: question.ticket,
            redirectURI: returned.attempt.redirectURI
        ).response(in: frame)
    }

    /// An address that its owner recognizes, and nobody else learns: its first character and its domain.
    private static func masked(_ address: String) -> String {
        let scalars = address.unicodeScalars
        let end = scalars.lastIndex(of: "@") ?? scalars.endIndex
        return "\(String(scalars[..<end].prefix(1)))…\(String(scalars[end...]))"
    }

    /// Returns the Apple Account that the person has confirmed to the application, sealed. Nothing is stored: the application stores it
    /// with the access token of the session that asked (`completeOwnIdentity`). So a page that somebody else opened adds nothing.
    @Sendable
    func confirmIdentity(_ request: Request, _ context: WebContext) async throws -> Response {
        let now = endpoints.now()
        let decision = try await linkDecision(.identity, request, context)
        let (waiting, attempt, tenant) = (decision.waiting, decision.attempt, decision.tenant)
        let address = attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant))
        do {
            guard !decision.application.isThirdParty else { throw CallbackRefusal.thirdParty }
            guard let ticket = identityTicket(of: attempt, decision.sent, at: now), ticket.requester.user == waiting.candidate
            else { throw CallbackRefusal.identityExpired }
            guard let connection = tenant.connection, connection.id == waiting.connection else { throw CallbackRefusal.connectionChanged }
            let token = try await waiting.token(of: connection, verifiedBy: apple)
            let identity = AddedIdentity(token, waiting.name, refreshToken: waiting.refreshToken, through: connection)
            metrics.count(.callback, "connected")
            return address.answer(
                [("result", ConfirmedIdentity(identity, by: ticket, at: now).sealed(with: endpoints.keyring))], for: request,
                cookies: decision.sent.removals())
        } catch {
            let refusal = CallbackRefusal(error)
            metrics.count(.callback, refusal.outcome)
            endpoints.logger.log(
                level: refusal.isOurs ? .error : .notice, "one more Apple Account refused",
                metadata: [
                    "request_id": "\(context.record.current.requestID)", "tenant": "\(tenant.tenant.slug)",
                    "outcome": "\(refusal.outcome)", "cause": "\(error)",
                ])
            var answer = RedirectedError(refusal.code, refusal.description, to: address)
            answer.cookies = decision.sent.removals()
            throw answer
        }
    }

    /// Returns the person's refusal to the application.
    @Sendable
    func refuseIdentity(_ request: Request, _ context: WebContext) async throws -> Response {
        let decision = try await linkDecision(.identity, request, context)
        var error = RedirectedError(
            .accessDenied, "The user refused the Apple Account.",
            to: decision.attempt.returnAddress(issuer: endpoints.issuer(decision.tenant.tenant)))
        error.cookies = decision.sent.removals()
        throw error
    }
}
