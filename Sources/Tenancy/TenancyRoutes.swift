package import Hummingbird
package import Postgres
import Web

/// Who may sign users in, with which connection, seen over REST.
package struct TenancyRoutes: Sendable {
    let pool: DatabasePool

    package init(pool: DatabasePool) {
        self.pool = pool
    }

    /// Below `/v1/tenants/{tenant}`.
    package var routes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "", "getTenant", use: getTenant)
        return routes
    }
}
