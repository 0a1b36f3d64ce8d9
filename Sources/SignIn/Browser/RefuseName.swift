import Hummingbird
import Sessions
import Web

extension SignInRoutes {
    /// Returns to the application if the user gives no name. Nothing is stored, so the next sign-in asks again.
    @Sendable
    func refuseName(_ request: Request, _ context: WebContext) async throws -> Response {
        let held = try await unnamedSignIn(request, context)
        metrics.count(.authorize, "name_refused")
        throw RedirectedError(.accessDenied, "The user gave no name, which the application requires.", to: held.asked.returnAddress)
    }
}
