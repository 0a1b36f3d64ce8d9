import Hummingbird
import Sessions
import Web

extension SignInRoutes {
    /// Returns the user's refusal to the application. Nothing is stored, so the next sign-in asks again.
    @Sendable
    func refuseConsent(_ request: Request, _ context: WebContext) async throws -> Response {
        let waiting = try await waitingRequest(request, context)
        metrics.count(.authorize, "consent_refused")
        throw RedirectedError(.accessDenied, "The user refused the application.", to: waiting.asked.returnAddress)
    }
}
