import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension PricingRoutes {
    @Sendable
    func getRateCard(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.pricingRead)
        return try await rateCard(request, call, for: nil)
    }

    @Sendable
    func getTenantRateCard(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.pricingRead)
        return try await rateCard(request, call, for: call.tenant)
    }

    private func rateCard(_ request: Request, _ call: some ActingContext, for tenant: ID<Tenant>?) async throws -> Response {
        let id = try call.id("rateCard", of: "rate card", as: RateCard.self)
        _ = try Query(request)
        // A tenant's transaction does not see the plans' prices.
        let card = try await PlatformDatabase(pool).run(
            """
            SELECT tenant_id, id, plan, version, effective_from, follows_plan, currency, base_fee_micros, included_logins, minimum_micros,
                tier_mode, tiers, created_at FROM rate_card
            WHERE tenant_id IN (\(UUID.platform), COALESCE(\(tenant), \(UUID.platform))) AND id = \(id)
            """
        ).first { try RateCard($0) }
        guard let card else { throw Problem.notFound("rate card") }
        return try .resource(RateCardReply(card), updatedAt: card.createdAt)
    }
}
