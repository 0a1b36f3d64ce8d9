import Access
import Apple
import Foundation
import Hummingbird
import Logging
import Sessions
import Tenancy
import Users
import Web

extension SignInRoutes {
    /// Creates a user of its own for the waiting identity, and continues the sign-in with a code. The same form again finds the user.
    @Sendable
    func createSeparateUser(_ request: Request, _ context: WebContext) async throws -> Response {
        let decision = try await linkDecision(.code, request, context)
        let (waiting, now) = (decision.waiting, endpoints.now())
        return try await complete(decision, request, context, at: now) { token, asked, connection in
            try await saveUser(
                token, waiting.name, isNewConsent: waiting.isNewConsent, refreshToken: waiting.refreshToken, asked, connection, at: now)
        }
    }

    /// Continues the sign-in of the page with a code of the user that the person has decided for.
    ///
    /// The sign-in stays as old as the question, so an end of all tokens since then also ends the code.
    /// - Parameter save: saves the user of the waiting identity; nil if the consent at Apple has ended.
    func complete(
        _ decision: LinkDecision, _ request: Request, _ context: WebContext, at now: Date,
        _ save: (IDToken, Identity.Asked, Connection) async throws -> ID<User>?
    ) async throws -> Response {
        let (waiting, attempt, tenant) = (decision.waiting, decision.attempt, decision.tenant)
        let address = attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant))
        // A page after the form keeps the cookies. A second code of the same login would end the session.
        if try await isFinished(attempt, context) {
            metrics.count(.callback, ErrorPage.signInFinished.outcome)
            throw ErrorPage.signInFinished.leading(to: decision.application)
        }
        do {
            guard let connection = tenant.connection, connection.id == waiting.connection else { throw CallbackRefusal.connectionChanged }
            let token = try await waiting.token(of: connection, verifiedBy: apple)
            let user = try await save(token, Identity.Asked(tenant: attempt.tenant, application: attempt.application), connection)
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
                let removals = decision.sent.removals(keepingSecret: true)
                let kept = decision.sent.cookie.set(
                    decision.secret, question: question.cookieValue, after: removals, in: request, publicURL: endpoints.publicURL)
                return try await page(question, for: tenant, request, context).setting(removals + kept + started)
            }
            let delivered = try await delivery(of: code.issued(at: now), to: attempt, decision.application, tenant.tenant, at: now)
            metrics.count(.callback, "ok")
            return address.answer(delivered, for: request, cookies: decision.sent.removals() + started)
        } catch let page as ErrorPage {
            throw page
        } catch {
            throw await refusal(of: decision, after: error, request, context, at: now)
        }
    }

    /// The error for the application after a decision that could not be carried out. The name waits for the next sign-in.
    func refusal(
        of decision: LinkDecision, after error: any Error, _ request: Request, _ context: WebContext, at now: Date
    ) async -> RedirectedError {
        let refusal = CallbackRefusal(error)
        metrics.count(.callback, refusal.outcome)
        endpoints.logger.log(
            level: refusal.isOurs ? .error : .notice, "decision about an account refused",
            metadata: [
                "request_id": "\(context.record.current.requestID)", "tenant": "\(decision.tenant.tenant.slug)",
                "outcome": "\(refusal.outcome)", "cause": "\(error)",
            ])
        var answer = RedirectedError(
            refusal.code, refusal.description,
            to: decision.attempt.returnAddress(issuer: endpoints.issuer(decision.tenant.tenant)))
        answer.cookies = await keptName(of: decision.waiting, decision.tenant, with: decision.sent.cookie, request, at: now)
        return answer
    }

    /// The page of a decision that was not carried out. The name waits, too.
    func keepingName(_ page: ErrorPage, of decision: LinkDecision, _ request: Request, at now: Date) async -> ErrorPage {
        var page = page.leading(to: decision.application)
        page.cookies = await keptName(of: decision.waiting, decision.tenant, with: decision.sent.cookie, request, at: now)
        return page
    }
}
