package import Foundation
package import Hummingbird
package import Logging
package import Postgres
package import Sealing
package import Tenancy
package import Web

/// What was used and what it costs, told to those who pay for it.
///
/// A login is billed by one row of the ledger, `usage_event`, written in the transaction that creates its session
/// (`UsageEvent.insert`, run by Login's token endpoint). What arrives there is added up by days (`RollUp`), which is what answers are
/// made of. A month that is over is closed, and becomes a statement (`CloseStatements`): the prices that held (`Term`), applied to the
/// numbers (`Rating`). Exports and sinks give the events themselves to other tools, and `espalier usage verify` proves that all of it
/// agrees with the ledger.
package struct UsageRoutes: Sendable {
    let pool: DatabasePool
    let keyring: Keyring
    let publicURL: String
    /// Whether sinks may be on private networks.
    let allowsPrivate: Bool
    /// How long after a login its event may come to light, in seconds.
    let settling: TimeInterval
    /// How long after its end a month closes, in seconds.
    let grace: TimeInterval
    /// Whether a month is over when this process's clock says so, whatever the database's says: for development.
    let simulatesClock: Bool
    /// Who may look at the page of what the plans cost, and how often, by network; nil where nobody may.
    let pricingPage: TokenBuckets<String>?
    let logger: Logger
    let now: @Sendable () -> Date
    let exports = ExportLimit()

    package init(
        pool: DatabasePool, keyring: Keyring, publicURL: String, allowsPrivate: Bool, settling: TimeInterval = RollUp.delay,
        grace: TimeInterval = CloseStatements.grace, simulatesClock: Bool = false, pricingPage: TokenBuckets<String>? = nil,
        logger: Logger, now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.keyring, self.publicURL, self.allowsPrivate) = (pool, keyring, publicURL, allowsPrivate)
        (self.settling, self.grace, self.simulatesClock) = (settling, grace, simulatesClock)
        (self.pricingPage, self.logger, self.now) = (pricingPage, logger, now)
    }

    /// For everybody, without a key.
    package var publicRoutes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        routes.on(.get, "pricing", "getPricingPage", use: getPricingPage)
        return routes
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "usage", "getUsage", use: getUsage)
        routes.on(.get, "statements", "listStatements", use: listStatements)
        routes.on(.get, "statements/upcoming", "getUpcomingStatement", use: getUpcomingStatement)
        routes.on(.get, "statements/upcoming/page", "getUpcomingStatementPage", use: getUpcomingStatementPage)
        routes.on(.get, "statements/{statement}", "getStatement", use: getStatement)
        routes.on(.get, "statements/{statement}/page", "getStatementPage", use: getStatementPage)
        addTenantPricing(to: routes)
        routes.on(.get, "budget", "getBudget", use: getBudget)
        routes.on(.put, "budget", "setBudget", use: setBudget)
        routes.on(.delete, "budget", "deleteBudget", use: deleteBudget)
        return routes
    }

    /// Below `/v1`, for operators.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "platform/statements", "listAllStatements", use: listAllStatements)
        addPlatformPricing(to: routes)
        routes.on(.get, "usage", "listUsage", use: listUsage)
        return routes
    }

    /// Below `/v1`, for operators and tenants alike.
    package var keyRoutes: RouteCollection<KeyContext> {
        let routes = RouteCollection(context: KeyContext.self)
        addPricing(to: routes)
        routes.on(.get, "usage/export", "exportUsage", use: exportUsage)
        routes.on(.get, "usage/export/manifest", "getUsageExportManifest", use: getUsageExportManifest)
        return routes
    }
}
