import Hummingbird
import Tenancy
import Web

extension UsageRoutes {
    /// What logins cost: versions of prices, written once and never changed, and what a number of logins comes to by them.
    ///
    /// Operators set what a plan costs, and what one tenant pays instead; a tenant reads what holds for it and what the plans cost. On a
    /// day the one holds that began last (`[RateCard].holding`), and no month that is closed is ever rated again.
    /// Below `/v1`.
    func addPlatformPricing(to routes: RouteCollection<PlatformContext>) {
        routes.on(.get, "rate-cards", "listRateCards", use: listRateCards)
        routes.on(.post, "rate-cards", "createRateCard", use: createRateCard)
        routes.on(.get, "rate-cards/{rateCard}", "getRateCard", use: getRateCard)
    }

    /// Below `/v1/tenants/{tenant}`.
    func addTenantPricing(to routes: RouteCollection<TenantContext>) {
        routes.on(.get, "rate-cards", "listTenantRateCards", use: listTenantRateCards)
        routes.on(.post, "rate-cards", "createTenantRateCard", use: createTenantRateCard)
        routes.on(.get, "rate-cards/{rateCard}", "getTenantRateCard", use: getTenantRateCard)
    }

    /// Below `/v1`, for operators and tenants alike.
    func addPricing(to routes: RouteCollection<KeyContext>) {
        routes.on(.post, "pricing/estimate", "estimatePrice", use: estimatePrice)
        routes.on(.get, "pricing/estimate/page", "getEstimatePage", use: getEstimatePage)
    }
}
