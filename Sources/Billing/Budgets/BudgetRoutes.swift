package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// A tenant's monthly budget, in logins or in money. Webhooks report its thresholds, and a hard budget stops further logins.
/// Below `/v1/tenants/{tenant}`.
package struct BudgetRoutes: Sendable {
    let pool: DatabasePool
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, now: @escaping @Sendable () -> Date) {
        (self.pool, self.now) = (pool, now)
    }

    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "budget", "getBudget", use: getBudget)
        routes.on(.put, "budget", "setBudget", use: setBudget)
        routes.on(.delete, "budget", "deleteBudget", use: deleteBudget)
        return routes
    }
}
