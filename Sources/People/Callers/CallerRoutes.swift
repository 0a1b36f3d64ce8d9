package import Access
package import Hummingbird
package import Postgres
import Web

/// Shows callers to themselves.
package struct CallerRoutes: Sendable {
    let pool: DatabasePool
    /// Finds a tenant by its ID.
    let findTenant: @Sendable (ID<Tenant>) async throws -> Tenant?

    package init(pool: DatabasePool, findTenant: @escaping @Sendable (ID<Tenant>) async throws -> Tenant?) {
        (self.pool, self.findTenant) = (pool, findTenant)
    }

    /// Below `/v1`.
    package var routes: RouteCollection<CallerContext> {
        let routes = RouteCollection(context: CallerContext.self)
        routes.on(.get, "caller", "getCaller", use: getCaller)
        return routes
    }
}
