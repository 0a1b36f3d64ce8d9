package import Access
package import Foundation
package import Hummingbird
package import Postgres
import Web

/// The statements of a tenant. A month that is over is closed and becomes a statement (`CloseStatements`): the prices in effect
/// (`Term`), applied to the numbers of the ledger (`Rating`).
package struct StatementRoutes: Sendable {
    let pool: DatabasePool
    /// How long after a login its event may come to light, in seconds.
    let settling: TimeInterval
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, settling: TimeInterval, now: @escaping @Sendable () -> Date) {
        (self.pool, self.settling, self.now) = (pool, settling, now)
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "statements", "listStatements", use: listStatements)
        routes.on(.get, "statements/upcoming", "getUpcomingStatement", use: getUpcomingStatement)
        routes.on(.get, "statements/upcoming/page", "getUpcomingStatementPage", use: getUpcomingStatementPage)
        routes.on(.get, "statements/{statement}", "getStatement", use: getStatement)
        routes.on(.get, "statements/{statement}/page", "getStatementPage", use: getStatementPage)
        return routes
    }

    /// Below `/v1`, for operators.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/statements", "listAllStatements", use: listAllStatements)
        return routes
    }
}
