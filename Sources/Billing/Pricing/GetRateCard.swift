import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension PricingRoutes {
    @Sendable
    func getRateCard(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.pricingRead)
        return try await rateCard(request, call)
    }

    @Sendable
    func getTenantRateCard(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.pricingRead)
        return try await rateCard(request, call)
    }

    /// Finds a card of the owner or of a plan.
    private func rateCard(_ request: Request, _ call: some ActingContext) async throws -> Response {
        let id = try call.id("rateCard", of: "rate card", as: RateCard.self)
        _ = try Query(request)
        let card = try await call.database(pool).run(
            """
            SELECT \(literally: RateCard.columns) FROM rate_card WHERE tenant_id IN (\(UUID.platform), \(call.owner)) AND id = \(id)
            """
        ).first { try RateCard($0) }
        guard let card else { throw Problem.notFound("rate card") }
        return try .resource(RateCardReply(card), updatedAt: card.createdAt)
    }
}
