package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Web

/// What logins cost: versions of prices, written once and never changed, and what a number of logins comes to by them.
///
/// Operators set what a plan costs, and what one tenant pays instead; a tenant reads what holds for it and what the plans cost. On a
/// day the one holds that began last (`[RateCard].holding`), and no month that is closed is ever rated again.
package struct PricingRoutes: Sendable {
    let pool: DatabasePool
    /// How often each network may ask for the page of the plans' prices. Nil: the page is not served.
    let pricingPage: TokenBuckets<String>?
    let now: @Sendable () -> Date

    package init(pool: DatabasePool, pricingPage: TokenBuckets<String>?, now: @escaping @Sendable () -> Date) {
        (self.pool, self.pricingPage, self.now) = (pool, pricingPage, now)
    }

    /// Without a key.
    package var publicRoutes: RouteCollection<WebContext> {
        let routes = RouteCollection(context: WebContext.self)
        routes.on(.get, "pricing", "getPricingPage", use: getPricingPage)
        return routes
    }

    /// Below `/v1`.
    package var platformRoutes: RouteCollection<PlatformContext> {
        let routes = RouteCollection(context: PlatformContext.self)
        routes.on(.get, "rate-cards", "listRateCards", use: listRateCards)
        routes.on(.post, "rate-cards", "createRateCard", use: createRateCard)
        routes.on(.get, "rate-cards/{rateCard}", "getRateCard", use: getRateCard)
        return routes
    }

    /// Below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "rate-cards", "listTenantRateCards", use: listTenantRateCards)
        routes.on(.post, "rate-cards", "createTenantRateCard", use: createTenantRateCard)
        routes.on(.get, "rate-cards/{rateCard}", "getTenantRateCard", use: getTenantRateCard)
        return routes
    }

    /// Below `/v1`, for operators and tenants alike.
    package var keyRoutes: RouteCollection<KeyContext> {
        let routes = RouteCollection(context: KeyContext.self)
        routes.on(.post, "pricing/estimate", "estimatePrice", use: estimatePrice)
        routes.on(.get, "pricing/estimate/page", "getEstimatePage", use: getEstimatePage)
        return routes
    }
}
