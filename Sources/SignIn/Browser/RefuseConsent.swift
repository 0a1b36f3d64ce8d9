import Hummingbird
import Sessions
import Tenancy
import Web

extension SignInRoutes {
    /// Returns the user's refusal to the application (RFC 6749, section 4.1.2.1). Nothing is stored, so the next sign-in asks again.
    ///
    /// After a sign-in with Apple, the cookies of the attempt go, except a name that waits. Without them, the page can no longer get a
    /// code. So a refusal is final even if the person goes back.
    @Sendable
    func refuseConsent(_ request: Request, _ context: WebContext) async throws -> Response {
        func refusal(to address: ReturnAddress) -> RedirectedError {
            metrics.count(.authorize, "consent_refused")
            return RedirectedError(.accessDenied, "The user refused the application.", to: address)
        }
        switch try await waitingConsent(request, context) {
        case .request(let waiting): throw refusal(to: waiting.asked.returnAddress)
        case .signIn(let held):
            var refusal = refusal(to: held.asked.returnAddress)
            refusal.cookies = AttemptCookie(held.code.login, publicURL: endpoints.publicURL).sent(in: request)
                .removals(keepingName: true)
            throw refusal
        }
    }
}
