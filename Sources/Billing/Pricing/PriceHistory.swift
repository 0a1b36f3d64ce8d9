import Access
import Postgres

/// The past, current and future prices of a tenant: its plans over time, and every rate card that can be in effect for it.
struct PriceHistory: Sendable {
    let plans: [PlanChange]
    let rateCards: [RateCard]

    init(plans: [PlanChange], rateCards: [RateCard]) {
        (self.plans, self.rateCards) = (plans, rateCards)
    }

    /// Finds a tenant's prices.
    static func find(of tenant: ID<Tenant>, in db: some StatementRunner) async throws -> PriceHistory {
        let (plans, rateCards) = try await db.run(PlanChange.all(of: tenant), RateCard.all(for: tenant))
        return try PriceHistory(plans: plans, rateCards: rateCards)
    }

    /// - Parameters:
    /// - plans: the result of `PlanChange.all`.
    /// - rateCards: the result of `RateCard.all`.
    init(plans: Rows, rateCards: Rows) throws {
        self.plans = try plans.map { try PlanChange($0) }
        self.rateCards = try rateCards.map { try RateCard($0) }
    }
}
