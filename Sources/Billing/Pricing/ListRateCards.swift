import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension PricingRoutes {
    /// Lists the past, current and future prices of the plans.
    @Sendable
    func listRateCards(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.pricingRead)
        return try await rateCards(request, call)
    }

    /// Lists all rate cards that can be in effect for a tenant: its own and those of all plans.
    @Sendable
    func listTenantRateCards(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.pricingRead)
        return try await rateCards(request, call)
    }

    /// Lists the cards of the owner and of the plans.
    private func rateCards(_ request: Request, _ call: some ActingContext) async throws -> Response {
        let query = try Query(request, "plan", "limit", "after", "before")
        let plan = try query.choice("plan", Tenant.Plan.self)
        let page = try query.page
        let cards = try await call.database(pool).run(
            """
            SELECT \(literally: RateCard.columns) FROM rate_card
            WHERE tenant_id IN (\(UUID.platform), \(call.owner)) AND id < \(page.upper) AND id > \(page.lower)
                AND (\(plan) IS NULL OR plan = \(plan))
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map { try RateCard($0) }
        return try .json(Page(cards, of: page, id: \.id.uuid) { RateCardReply($0) })
    }
}
