package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// Lets an operator act on the data of a tenant for a limited time, visible to the tenant.
///
///     startSupportAccess                                        → the operator has the scopes of support in this tenant
///     endSupportAccess, the end of its time, `allows_support`   → no effect any longer, within 1 s in every process
///
/// Each act during it has the support access in the audit trail and in webhook events.
package struct SupportRoutes: Sendable {
    let pool: DatabasePool
    let notices: OwnerNotices
    /// Selects a row if a tenant allows support, and locks it against a change of this setting.
    let allowed: @Sendable (ID<Tenant>) -> SQL
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, notices: OwnerNotices, allowed: @escaping @Sendable (ID<Tenant>) -> SQL, now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.notices, self.allowed, self.now) = (pool, notices, allowed, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "support-accesses", "listSupportAccesses", use: listSupportAccesses)
        routes.on(.post, "support-accesses", "startSupportAccess", use: startSupportAccess)
        routes.on(.post, "support-accesses/{support}/end", "endSupportAccess", use: endSupportAccess)
        return routes
    }
}
