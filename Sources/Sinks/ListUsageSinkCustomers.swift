import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    @Sendable
    func listUsageSinkCustomers(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.usageRead)
        let page = try Query(request, "limit", "after", "before").page
        let customers = try await call.platformDatabase(pool).run(
            """
            SELECT tenant_id, customer_id, created_at, updated_at FROM usage_sink_customer
            WHERE tenant_id < \(page.upper) AND tenant_id > \(page.lower)
            ORDER BY CASE WHEN \(page.isBackward) THEN tenant_id END ASC, tenant_id DESC LIMIT \(page.fetched)
            """
        ).map(UsageSinkCustomer.init)
        return try .json(Page(customers, of: page, id: \.tenant.uuid, \.reply))
    }
}
