package import Access
package import Foundation
package import Hummingbird
package import Postgres
package import Web

/// Manages prices and estimates costs. A version of prices never changes.
///
/// Operators set the prices of a plan and a tenant's own prices. A tenant reads its own prices and those of the plans. On each day, the
/// version that started last is in effect (`[RateCard].holding`). A closed month is never rated again.
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

    /// These routes are below `/v1/tenants/{tenant}`.
    package var tenantRoutes: RouteCollection<TenantContext> {
        let routes = RouteCollection(context: TenantContext.self)
        routes.on(.get, "rate-cards", "listTenantRateCards", use: listTenantRateCards)
        routes.on(.post, "rate-cards", "createTenantRateCard", use: createTenantRateCard)
        routes.on(.get, "rate-cards/{rateCard}", "getTenantRateCard", use: getTenantRateCard)
        return routes
    }

    /// Routes for operators and tenants, below `/v1`.
    package var keyRoutes: RouteCollection<KeyContext> {
        let routes = RouteCollection(context: KeyContext.self)
        routes.on(.post, "pricing/estimate", "estimatePrice", use: estimatePrice)
        routes.on(.get, "pricing/estimate/page", "getEstimatePage", use: getEstimatePage)
        return routes
    }
}
