import Access
import Postgres

/// What has held for a tenant, holds and is to hold: which plan it had when, and every rate card that may be its.
struct PriceHistory: Sendable {
    let plans: [PlanChange]
    private(set) var rateCards: [RateCard]

    init(plans: [PlanChange], rateCards: [RateCard]) {
        (self.plans, self.rateCards) = (plans, rateCards)
    }

    /// Run it as the platform: a tenant's transaction does not see the plans' rate cards.
    static func find(of tenant: ID<Tenant>) -> [SQL] {
        [PlanChange.all(of: tenant), RateCard.all(for: tenant)]
    }

    /// - Parameters:
    ///   - found: what `find` gave, or a part of more that does.
    ///   - more: rate cards that were not to be seen where it was asked.
    init(_ found: some RandomAccessCollection<Rows>, and more: [RateCard] = []) throws {
        let found = Array(found)
        plans = try found[0].map { try PlanChange($0) }
        rateCards = try found[1].map { try RateCard($0) } + more
    }
}
