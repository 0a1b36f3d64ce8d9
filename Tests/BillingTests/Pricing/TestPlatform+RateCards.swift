import TestSupport

extension TestPlatform {
    /// The body of `createRateCard`: a next version of the plan `scale`.
    static let scaleCard: [String: any Sendable] = [
        "plan": "scale", "effective_from": "2027-01-01", "currency": "USD", "base_fee_micros": 49_000_000, "included_logins": 1000,
        "minimum_micros": 60_000_000, "tier_mode": "volume",
        "tiers": [["up_to": 100_000, "unit_price_micros": 5000], ["unit_price_micros": 4000]],
    ]
    /// The body of `createTenantRateCard`.
    static let ownCard: [String: any Sendable] = [
        "effective_from": "2027-01-01", "currency": "EUR", "tiers": [["unit_price_micros": 3000]],
    ]
}
