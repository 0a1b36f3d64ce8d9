import Access
import Postgres

/// The past, current and future prices of a tenant: its plans over time, and every rate card that can be in effect for it.
struct PriceHistory: Sendable {
    let plans: [PlanChange]
    private(set) var rateCards: [RateCard]

    init(plans: [PlanChange], rateCards: [RateCard]) {
        (self.plans, self.rateCards) = (plans, rateCards)
    }

    /// These statements need the platform's rights, because a tenant's transaction does not see the plans' rate cards.
    static func find(of tenant: ID<Tenant>) -> [SQL] {
        [PlanChange.all(of: tenant), RateCard.all(for: tenant)]
    }

    /// - Parameters:
    /// - found: the results of `find`, possibly a slice of more results.
    /// - more: rate cards that the transaction could not see.
    init(_ found: some RandomAccessCollection<Rows>, and more: [RateCard] = []) throws {
        let found = Array(found)
        plans = try found[0].map { try PlanChange($0) }
        rateCards = try found[1].map { try RateCard($0) } + more
    }
}
