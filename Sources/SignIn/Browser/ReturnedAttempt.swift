import Access
import Encoding
import Hummingbird
import Pages
import Postgres
import Sessions
import Tenancy
import Web

/// Apple's answer to an attempt of this browser.
struct ReturnedAttempt {
    let attempt: LoginAttempt
    /// The sealed attempt.
    let state: String
    let answer: AppleForm
    let sent: AttemptCookie.Sent
    /// The value of the cookie.
    let secret: String
    let tenant: TenantConfiguration
    let application: Application
    /// The identity that waits for this sign-in.
    let waiting: WaitingIdentity?

    /// Empty if Apple sent none.
    var appleCode: String { answer.code ?? "" }
}

extension SignInRoutes {
    /// The page about an attempt that cannot finish.
    func page(for refusal: LoginAttempt.Refusal) -> ErrorPage {
        let (outcome, page): (String, ErrorPage) =
            switch refusal {
            case .unreadable: ("attempt_unreadable", .attemptUnreadable)
            case .expired: ("attempt_expired", .attemptExpired)
            case .stateMissing: ("attempt_state_missing", .otherBrowser)
            }
        metrics.count(.callback, outcome)
        return page
    }
}

// A browser that reloads a page, or goes back to it, sends Apple's answer again. Apple accepts its code only once.
extension SignInRoutes {
    /// The page that the same answer has led to before. Nil if this is a new answer.
    /// - Throws: an `ErrorPage` if the sign-in is finished.
    func repeatedPage(_ returned: ReturnedAttempt, _ request: Request, _ context: WebContext) async throws -> Response? {
        let (attempt, tenant, application, sent) = (returned.attempt, returned.tenant, returned.application, returned.sent)
        // A page that asks keeps the cookies of the attempt. So a person can go back to Apple's sheet after the sign-in is finished. A second
        // code of the same login would end the session.
        if !sent.questions.isEmpty, try await isFinished(attempt, context) {
            metrics.count(.callback, ErrorPage.signInFinished.outcome)
            throw ErrorPage.signInFinished.leading(to: application)
        }
        let address = attempt.returnAddress(issuer: endpoints.issuer(tenant.tenant))
        if let question = question(repeating: returned.answer, of: attempt, to: address, application, sent) {
            return try await endpoints.showingOutage(.outageAtCallback, context) {
                try await page(question, for: tenant, request, context)
            }
        }
        guard let waiting = returned.waiting, waiting.wasAsked(by: attempt, after: returned.appleCode),
            let question = question(about: waiting, of: attempt, after: returned.appleCode, tenant)
        else { return nil }
        return try await ask(question, of: returned, request, context)
    }

    /// Whether the application has redeemed a code of the attempt.
    func isFinished(_ attempt: LoginAttempt, _ context: WebContext) async throws -> Bool {
        try await endpoints.showingOutage(.outageAtCallback, context) {
            try await !OwnerDatabase(signInNatively.pool, tenant: attempt.tenant).repeatable.run(
                Session.exists(attempt.login, of: attempt.tenant)
            ).isEmpty
        }
    }
}
