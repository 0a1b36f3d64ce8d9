import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension ApplicationRoutes {
    /// Lists the valid secrets. A public application has none. Others have one, or two during a roll.
    @Sendable
    func listApplicationSecrets(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsRead)
        let id = try call.id("application", of: "application", as: Application.self)
        let page = try Query(request, "limit", "after", "before").page
        let (application, secrets) = try await call.database(pool).run(
            Application.find(id, of: call.tenant),
            """
            SELECT id, last_four, created_at, expires_at FROM application_secret
            WHERE tenant_id = \(call.tenant) AND application_id = \(id) AND (expires_at IS NULL OR expires_at > \(now()))
                AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """)
        guard !application.isEmpty else { throw Problem.notFound("application") }
        return try .json(Page(try secrets.map(ApplicationSecret.init), of: page, id: \.id.uuid, ApplicationSecretReply.init))
    }
}
