import BrowserSessions
import Hummingbird
import Pages
import Sessions
import Web

extension SignInRoutes {
    /// Sends a user with another Apple Account to Apple, instead of a decision. A page asks the other user, too.
    @Sendable
    func signInForConsent(_ request: Request, _ context: WebContext) async throws -> Response {
        switch try await waitingConsent(request, context) {
        case .request(let waiting):
            try begin(
                waiting.asked, delivering: .code, for: waiting.tenant, request, earlierSession: waiting.cookie.session,
                language: request.askedLanguage)
        case .signIn(let held):
            try begin(
                held.asked, delivering: held.ticket.delivery, for: held.tenant, request, earlierSession: held.code.browser?.session,
                language: request.askedLanguage)
        }
    }
}
