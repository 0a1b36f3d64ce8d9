import Hummingbird
import PeopleSSO
import Sessions
import Web

extension ProviderSignInRoutes {
    /// Leads a person to the sign-in with Apple. It replaces the password only: the second factor follows.
    @Sendable
    func startApple(_ request: Request, _ form: OwnForm, _ step: StepTicket, _ context: WebContext) async throws -> Response {
        guard let provider = try await endpoints.apple?.provider(directory, publicURL: endpoints.publicURL) else {
            return .seeOther("/account/sign-in")
        }
        let isAgain = try await endpoints.account(request, context) != nil
        let attempt = OIDCAttempt(.apple, at: provider, isAgain: isAgain, returnPath: step.next.path, at: endpoints.now())
        return try await leave(for: provider, attempt, address: nil, request, context)
    }
}
