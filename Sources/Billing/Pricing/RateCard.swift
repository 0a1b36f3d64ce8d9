package import Access
package import Foundation
package import Ledger
package import Postgres

/// A version of prices that starts on a day: a plan's prices, or a tenant's own. A written version never changes.
package struct RateCard: Identified, Sendable {
    package static let idPrefix = "ratecard"

    package let id: ID<RateCard>
    /// The platform's ID, or the ID of the tenant with these own prices.
    package let owner: UUID
    /// Nil for a tenant's own prices.
    package let plan: Tenant.Plan?
    package let version: Int
    /// The first day on which it is in effect.
    package let effectiveFrom: Day
    /// For a tenant's own card: from this day, the plan's prices are in effect again.
    package let followsPlan: Bool
    package let prices: Prices
    package let createdAt: Date

    package init(
        id: ID<RateCard>, owner: UUID, plan: Tenant.Plan?, version: Int, effectiveFrom: Day, followsPlan: Bool = false, prices: Prices,
        createdAt: Date
    ) {
        (self.id, self.owner, self.plan, self.version) = (id, owner, plan, version)
        (self.effectiveFrom, self.followsPlan, self.prices, self.createdAt) = (effectiveFrom, followsPlan, prices, createdAt)
    }

    /// Reads a row with all columns of `rate_card`.
    package init(_ row: Row) throws {
        self.init(
            id: try row.get("id"), owner: try row.get("tenant_id"), plan: try row.get("plan"), version: try row.get("version"),
            effectiveFrom: try row.get("effective_from"), followsPlan: try row.get("follows_plan"),
            prices: try Prices(
                currency: try row.get("currency"), baseFeeMicros: try row.get("base_fee_micros"),
                includedLogins: try row.get("included_logins"), minimumMicros: try row.get("minimum_micros"),
                tierMode: try row.get("tier_mode"),
                tiers: try JSONDecoder().decode([Prices.Tier].self, from: Data(try row.get("tiers", as: JSON.self).bytes)),
                silentLoginMicros: try row.get("silent_login_micros")),
            createdAt: try row.get("created_at"))
    }

    /// All cards that can be in effect for a tenant: those of every plan, and its own. Every owner may read the plans' cards.
    package static func all(for tenant: ID<Tenant>) -> SQL {
        """
        SELECT \(literally: columns) FROM rate_card
        WHERE tenant_id IN (\(UUID.platform), \(tenant)) ORDER BY tenant_id, plan, effective_from, version
        """
    }

    /// The cards of every plan.
    static let ofPlans: SQL = """
        SELECT \(literally: columns) FROM rate_card
        WHERE tenant_id = \(UUID.platform) ORDER BY tenant_id, plan, effective_from, version
        """

    static let columns: StaticString = """
        tenant_id, id, plan, version, effective_from, follows_plan, currency, base_fee_micros, included_logins, minimum_micros, tier_mode, \
        tiers, silent_login_micros, created_at
        """
}

extension [RateCard] {
    /// The card in effect on a day for a tenant with this plan. Its own card has priority over its plan's. Among several, the one that
    /// started last counts, then the newest version. Nil before the first card.
    package func holding(on day: Day, plan: Tenant.Plan) -> RateCard? {
        func latest(_ isMeant: (RateCard) -> Bool) -> RateCard? {
            filter { isMeant($0) && $0.effectiveFrom <= day }.max { ($0.effectiveFrom, $0.version) < ($1.effectiveFrom, $1.version) }
        }
        if let own = latest({ $0.plan == nil }), !own.followsPlan { return own }
        return latest { $0.plan == plan }
    }
}
