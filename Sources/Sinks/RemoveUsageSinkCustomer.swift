import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension UsageSinkRoutes {
    /// Removes the customer of a tenant. The tenant's logins wait from now on.
    @Sendable
    func removeUsageSinkCustomer(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.requireOperator("set a tenant's customer at Stripe")
        try call.require(.usageWrite)
        try call.requireRecentSignIn(at: now())
        let now = now()
        let tenant = call.tenant
        try await call.database(pool).transaction { db in
            guard let customer = try await db.run(UsageSinkCustomer.find(tenant)).first(UsageSinkCustomer.init)
            else { throw Problem.notFound("usage sink customer") }
            _ = try await db.run([
                "DELETE FROM usage_sink_customer WHERE tenant_id = \(tenant)",
                AuditEvent.insert(
                    "removeUsageSinkCustomer", of: tenant.description, owner: tenant.uuid, by: call.origin, before: customer.reply, at: now),
            ])
        }
        return .noContent
    }
}
