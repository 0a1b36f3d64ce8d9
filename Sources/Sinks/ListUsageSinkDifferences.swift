import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    @Sendable
    func listUsageSinkDifferences(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageRead)
        let page = try Query(request, "limit", "after", "before").page
        let differences = try await call.platformDatabase(pool).run(
            """
            SELECT id, customer_id, tenants, starts_at, sent, counted, found_at, checked_at FROM usage_sink_difference
            WHERE tenant_id = \(UUID.platform) AND id < \(page.upper) AND id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map(UsageSinkDifference.init)
        return try .json(Page(differences, of: page, id: \.id.uuid, \.reply))
    }
}
