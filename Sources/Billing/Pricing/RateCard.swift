package import Access
package import Foundation
package import Ledger
package import Postgres

/// A version of prices, from a day on: of a plan, or of one tenant instead of its plan's. Never changed once it is written.
package struct RateCard: Identified, Sendable {
    package static let idPrefix = "ratecard"

    package let id: ID<RateCard>
    /// The platform's id, or that of the tenant whose own it is.
    package let owner: UUID
    /// Nil in a tenant's own.
    package let plan: Tenant.Plan?
    package let version: Int
    /// The first day on which it holds.
    package let effectiveFrom: Day
    /// Of a tenant's own: from here on the plan's prices hold again.
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

    /// A row with all columns of `rate_card`.
    package init(_ row: Row) throws {
        self.init(
            id: try row.get("id"), owner: try row.get("tenant_id"), plan: try row.get("plan"), version: try row.get("version"),
            effectiveFrom: try row.get("effective_from"), followsPlan: try row.get("follows_plan"),
            prices: try Prices(
                currency: try row.get("currency"), baseFeeMicros: try row.get("base_fee_micros"),
                includedLogins: try row.get("included_logins"), minimumMicros: try row.get("minimum_micros"),
                tierMode: try row.get("tier_mode"),
                tiers: try JSONDecoder().decode([Prices.Tier].self, from: Data(try row.get("tiers", as: JSON.self).bytes))),
            createdAt: try row.get("created_at"))
    }

    /// All that may hold for a tenant: every plan's, and its own. A tenant's transaction does not see the plans': run it as the platform.
    package static func all(for tenant: ID<Tenant>?) -> SQL {
        """
        SELECT tenant_id, id, plan, version, effective_from, follows_plan, currency, base_fee_micros, included_logins, minimum_micros,
            tier_mode, tiers, created_at FROM rate_card
        WHERE tenant_id IN (\(UUID.platform), COALESCE(\(tenant), \(UUID.platform))) ORDER BY tenant_id, plan, effective_from, version
        """
    }
}

extension [RateCard] {
    /// The one that holds on a day for a tenant with this plan: its own before its plan's; of several, the one that began last, and of
    /// those the newest version. Nil before the first one.
    package func holding(on day: Day, plan: Tenant.Plan) -> RateCard? {
        func latest(_ isMeant: (RateCard) -> Bool) -> RateCard? {
            filter { isMeant($0) && $0.effectiveFrom <= day }.max { ($0.effectiveFrom, $0.version) < ($1.effectiveFrom, $1.version) }
        }
        if let own = latest({ $0.plan == nil }), !own.followsPlan { return own }
        return latest { $0.plan == plan }
    }
}
