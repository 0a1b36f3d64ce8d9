import Access
import Hummingbird
import People
import PeopleSSO
import Sessions
import Web

extension ProviderSignInRoutes {
    /// Leads a signed-in person to Apple, to link the account there. It needs a new sign-in, because the account there can then replace the
    /// password.
    @Sendable
    func linkApple(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecent()
        guard let provider = try await endpoints.apple?.provider(directory, publicURL: endpoints.publicURL) else {
            return .seeOther("/account")
        }
        let attempt = OIDCAttempt(.linkApple, at: provider, session: account.session.id.uuid, at: account.now)
        return try await leave(for: provider, attempt, address: nil, request, account.web)
    }
}
