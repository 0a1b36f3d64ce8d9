import Access
import Foundation
import Hummingbird
import Logging
import Sessions
import Tenancy
import Users
import Web

extension SignInRoutes {
    /// Creates a user of its own for the waiting identity, and continues the sign-in with a code. The same form again finds the user.
    ///
    /// The sign-in stays as old as the question, so an end of all tokens since then also ends the code.
    @Sendable
    func createSeparateUser(_ request: Request, _ context: WebContext) async throws -> Response {
        let decision = try await linkDecision(.code, request, context)
        let (waiting, attempt, tenant, now) = (decision.waiting, decision.attempt, decision.tenant, endpoints.now())
        let address = attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant))
        // A page after the form keeps the cookies. A second code of the same login would end the session.
        if try await isFinished(attempt, context) {
            metrics.count(.callback, ErrorPage.signInFinished.outcome)
            throw ErrorPage.signInFinished.leading(to: decision.application)
        }
        do {
            guard let connection = tenant.connection, connection.id == waiting.connection else { throw CallbackRefusal.connectionChanged }
            let token = try await waiting.token(of: connection, verifiedBy: apple)
            let asked = Identity.Asked(tenant: attempt.tenant, application: attempt.application)
            let user = try await saveUser(
                token, waiting.name, isNewConsent: waiting.isNewConsent, refreshToken: waiting.refreshToken, asked, connection, at: now)
            guard let user else { throw CallbackRefusal.consentEnded }
            let authenticatedAt = token.authenticatedAt(by: waiting.askedAt)
            guard attempt.accepts(authenticatedAt: authenticatedAt) else { throw CallbackRefusal.authenticatedTooLongAgo }
            var code = AuthorizationCode(
                attempt, user: user, vouched: .init(token, through: connection), connection: connection.ownership,
                authenticatedAt: authenticatedAt, device: Device(request, context), at: waiting.askedAt)
            var started: [String] = []
            if tenant.tenant.settings.singleSignOn, tenant.tenant.addresses.allowsBrowserSessions {
                started.append(try await startBrowserSession(with: &code, attempt, tenant.tenant, at: waiting.askedAt))
            }
            // The page that asks needs the cookie of this sign-in. A reload sends this form again, and Back sends Apple's.
            if let question = try await question(
                after: .init(secret: decision.secret, codeHash: waiting.appleCode), of: code, to: attempt, decision.application,
                tenant.tenant, at: now)
            {
                metrics.count(.callback, question.page.rawValue)
                let cookie = decision.sent.cookie
                return try await page(question, for: tenant, request, context).setting(
                    decision.sent.removals(keepingSecret: true)
                        + cookie.set(decision.secret, question: question.cookieValue, in: request, publicURL: endpoints.publicURL) + started
                )
            }
            let delivered = try await delivery(of: code.issued(at: now), to: attempt, decision.application, tenant.tenant, at: now)
            metrics.count(.callback, "ok")
            return address.answer(delivered, for: request, cookies: decision.sent.removals() + started)
        } catch {
            let refusal = CallbackRefusal(error)
            metrics.count(.callback, refusal.outcome)
            endpoints.logger.log(
                level: refusal.isOurs ? .error : .notice, "sign-in with a separate account refused",
                metadata: [
                    "request_id": "\(context.record.current.requestID)", "tenant": "\(tenant.tenant.slug)",
                    "outcome": "\(refusal.outcome)", "cause": "\(error)",
                ])
            throw RedirectedError(refusal.code, refusal.description, to: address)
        }
    }
}
