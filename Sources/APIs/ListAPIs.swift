import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension APIRoutes {
    @Sendable
    func listAPIs(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let page = try Query(request, "limit", "after", "before").page
        let database = call.database(pool)
        let found = try await database.run(
            """
            SELECT id, name, audience, scopes, access_token_seconds, created_at, updated_at FROM api
            WHERE tenant_id = \(call.tenant) AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """)
        let ids = try found.map { try $0.get("id", as: UUID.self) }
        let apis = try API.all(found, permissions: try await database.run(API.Permission.all(of: ids, call.tenant)))
        return try .json(Page(apis, of: page, id: \.id.uuid, APIReply.init))
    }
}
