package import Foundation
package import Hummingbird
package import Postgres
package import Tenancy
import Web

/// What was used, told to those who pay for it.
///
/// A login is billed by one row of `usage_event`, written in the transaction that creates its session
/// (`UsageEvent.insert`, run by Login's token endpoint). Everything here only counts those rows.
package struct UsageRoutes: Sendable {
    let pool: DatabasePool
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, now: @escaping @Sendable () -> Date) {
        (self.pool, self.now) = (pool, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var routes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "usage", "getUsage", use: getUsage)
        return routes
    }
}
