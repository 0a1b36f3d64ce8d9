import BrowserSessions
import Hummingbird
import Pages
import Sessions
import Web

extension SignInRoutes {
    /// Sends a user with another Apple Account to Apple, instead of a decision. The sign-in there counts as consent.
    @Sendable
    func signInForConsent(_ request: Request, _ context: WebContext) async throws -> Response {
        let waiting = try await waitingRequest(request, context)
        return try begin(
            waiting.asked, delivering: .code, for: waiting.tenant, request, earlierSession: waiting.cookie.session,
            language: request.askedLanguage)
    }
}
