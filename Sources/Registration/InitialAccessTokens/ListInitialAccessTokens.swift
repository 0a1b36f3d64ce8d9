import Access
import Hummingbird
import Postgres
import Web

extension InitialAccessTokenRoutes {
    /// Lists all initial access tokens, newest first, including revoked, expired and used ones.
    @Sendable
    func listInitialAccessTokens(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let page = try Query(request, "limit", "after", "before").page
        let tokens = try await call.database(pool).run(
            """
            SELECT id, name, last_four, kinds, requires_pkce, max_registrations, registrations, expires_at, revoked_at, created_at, updated_at
            FROM initial_access_token WHERE tenant_id = \(call.tenant) AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map(InitialAccessToken.init)
        return try .json(Page(tokens, of: page, id: \.id.uuid, InitialAccessTokenReply.init))
    }
}
