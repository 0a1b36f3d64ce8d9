import Access
import Hummingbird
import Postgres
import Web

extension ConnectionRoutes {
    @Sendable
    func listAppleKeys(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.connectionsRead)
        let page = try Query(request, "limit", "after", "before").page
        let actor = ConnectionActor(call)
        // Checks first that the connection exists. An empty list would suggest that it does.
        let connection = try await find(try call.connectionInPath, for: actor).connection
        let keys = try await call.database(pool).run(
            """
            SELECT id, tenant_id, connection_id, key_id, sealed_pem, state, fingerprint, proven_at, last_used_at, usable_until,
                created_at, updated_at
            FROM apple_key WHERE tenant_id = \(call.owner) AND connection_id = \(connection.id)
                AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map(AppleKey.init)
        return try .json(Page(keys, of: page, id: \.id.uuid, AppleKeyReply.init))
    }
}
