package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// The ledger of logins, as numbers.
///
/// One row of the ledger bills a login. The transaction that creates the login's session inserts it into `usage_arrival`
/// (`UsageEvent.insert`). `RollUp` moves it to `usage_event` and counts it by day. The responses here are made of these sums.
package struct UsageRoutes: Sendable {
    package let pool: DatabasePool
    /// How long after a login its event can become visible, in seconds.
    package let settling: TimeInterval
    package let now: @Sendable () -> Date

    package init(pool: DatabasePool, settling: TimeInterval = RollUp.delay, now: @escaping @Sendable () -> Date) {
        (self.pool, self.settling, self.now) = (pool, settling, now)
    }

    /// These routes are below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "usage", "getUsage", use: getUsage)
        return routes
    }

    /// Routes for operators, below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "usage", "listUsage", use: listUsage)
        return routes
    }
}
