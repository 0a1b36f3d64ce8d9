import Access
import Foundation
import Ledger

/// A rate card as callers see it.
struct RateCardReply: Encodable {
    let id: ID<RateCard>
    let object = "rate_card"
    /// The tenant with these own prices. Absent for a plan's card.
    let tenant_id: ID<Tenant>?
    let plan: Tenant.Plan?
    let version: Int
    let effective_from: Day
    /// Only for a tenant's own card.
    let follows_plan: Bool?
    // Absent if the plan's prices are in effect again.
    let currency: Currency?
    let base_fee_micros, included_logins, minimum_micros: Int?
    let tier_mode: Prices.TierMode?
    let tiers: [Prices.Tier]?
    let silent_login_micros: Int?
    let created_at, updated_at: Date

    init(_ card: RateCard) {
        let isOwn = card.plan == nil
        let prices = card.followsPlan ? nil : card.prices
        (id, tenant_id, plan, version) = (card.id, isOwn ? ID(card.owner) : nil, card.plan, card.version)
        (effective_from, follows_plan) = (card.effectiveFrom, isOwn ? card.followsPlan : nil)
        (currency, tier_mode, tiers) = (prices?.currency, prices?.tierMode, prices?.tiers)
        (base_fee_micros, included_logins, minimum_micros) = (prices?.baseFeeMicros, prices?.includedLogins, prices?.minimumMicros)
        silent_login_micros = prices?.silentLoginMicros
        (created_at, updated_at) = (card.createdAt, card.createdAt)
    }
}
