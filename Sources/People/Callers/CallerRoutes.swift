package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// Shows callers to themselves.
package struct CallerRoutes: Sendable {
    let pool: DatabasePool
    /// Finds a tenant by its ID.
    let findTenant: @Sendable (ID<Tenant>) async throws -> Tenant?
    let now: @Sendable () -> Date

    package init(
        pool: DatabasePool, findTenant: @escaping @Sendable (ID<Tenant>) async throws -> Tenant?, now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.findTenant, self.now) = (pool, findTenant, now)
    }

    /// Below `/v1`.
    package var routes: RouteCollection<CallerContext> {
        let routes = RouteCollection(context: CallerContext.self)
        routes.on(.get, "caller", "getCaller", use: getCaller)
        return routes
    }
}
