import BrowserSessions
import Hummingbird
import Pages
import Sessions
import Web

extension SignInRoutes {
    /// Sends the user to Apple again, instead of a name: after a revocation at Apple, which makes Apple share the name again, or with another
    /// Apple Account.
    @Sendable
    func signInForName(_ request: Request, _ context: WebContext) async throws -> Response {
        let held = try await unnamedSignIn(request, context)
        return try begin(
            held.asked, delivering: .code, for: held.tenant, request, earlierSession: held.code.browser?.session,
            language: request.askedLanguage)
    }
}
