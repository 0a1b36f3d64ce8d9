import Access
import Hummingbird
import People
import Postgres
import Web

extension AccountRoutes {
    /// Revokes an API key that the person issued. Every process rejects the key within 1 s.
    @Sendable
    func revokeOwnAPIKey(_ request: Request, _ form: OwnForm, _ account: AccountContext) async throws -> Response {
        try account.requireRecentSignIn()
        guard let id = account.web.parameters.get("apiKey").flatMap({ ID<APIKey>($0) }) else { return .seeOther("/account/api-keys") }
        try await endpoints.people.transaction { db in
            for owner in try await keyOwners(of: account, in: db) {
                try await APIKey.revokeIssued(
                    by: account.person.id, owner: owner, only: id, as: "revokeOwnAPIKey", origin: account.origin, in: db, at: account.now)
            }
        }
        return .seeOther("/account/api-keys")
    }
}
