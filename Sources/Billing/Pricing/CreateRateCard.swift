import Access
import Encoding
import Foundation
import HTTPTypes
import Hummingbird
import Ledger
import Postgres
import Web

extension PricingRoutes {
    /// Sets the prices of a plan, starting on a day.
    @Sendable
    func createRateCard(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.pricingWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let plan = fields.choice("plan", Tenant.Plan.self, isRequired: true)
        let day = fields.day("effective_from", isRequired: true)
        let prices = Prices.read(&fields)
        try fields.finish()
        guard let plan, let day, let prices else { throw Problem(.invalid, "A rate card needs a plan, a day and prices.") }

        let draft = RateCard.Draft(plan: plan, effectiveFrom: day, followsPlan: false, prices: prices)
        let now = now()
        let card = try await call.platformDatabase(pool).transaction { db in
            try await draft.add(to: .platform, "createRateCard", by: call.origin, db, at: now)
        }
        return try .resource(
            RateCardReply(card), updatedAt: card.createdAt, status: .created, headers: [.location: "/v1/rate-cards/\(card.id)"])
    }

    /// Sets a tenant's own prices starting on a day, or returns the tenant to its plan's prices.
    @Sendable
    func createTenantRateCard(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.requireOperator("set a tenant's prices")
        try call.require(.pricingWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let day = fields.day("effective_from", isRequired: true)
        let followsPlan = fields.flag("follows_plan") ?? false
        // With `follows_plan` a price has no meaning. It is not read, so it is refused as an unknown field.
        let prices = followsPlan ? .ofNoMeaning : Prices.read(&fields)
        try fields.finish()
        guard let day, let prices else { throw Problem(.invalid, "A rate card needs a day and prices.") }

        let draft = RateCard.Draft(plan: nil, effectiveFrom: day, followsPlan: followsPlan, prices: prices)
        let now = now()
        let card = try await call.database(pool).transaction { db in
            try await draft.add(to: call.owner, "createTenantRateCard", by: call.origin, db, at: now)
        }
        return try .resource(
            RateCardReply(card), updatedAt: card.createdAt, status: .created,
            headers: [.location: "/v1/tenants/\(call.slug)/rate-cards/\(card.id)"])
    }
}

extension Prices {
    /// The unused prices of a card that returns to the plan's prices.
    fileprivate static let ofNoMeaning = try! Prices(
        currency: Currency("USD")!, baseFeeMicros: 0, includedLogins: 0, minimumMicros: 0, tierMode: .graduated,
        tiers: [Tier(upTo: nil, unitPriceMicros: 0)])
}

extension RateCard {
    /// A draft of the next version.
    struct Draft: Sendable {
        let plan: Tenant.Plan?
        let effectiveFrom: Day
        let followsPlan: Bool
        let prices: Prices

        /// Writes the draft as the owner's next version.
        /// - Parameter owner: the platform's ID, or the ID of the tenant with these own prices.
        /// - Throws: `Problem` 409 if the card would be in effect in a closed month.
        func add(to owner: UUID, _ action: String, by origin: AuditEvent.Origin, _ db: Transaction, at now: Date) async throws -> RateCard {
            let (_, _, found) = try await db.run(
                // Versions are created one after another. The number is "rate" in ASCII.
                "SELECT pg_advisory_xact_lock(1918989413, hashtext(\(owner)::text))",
                PriceLock.exclusive,
                """
                SELECT EXISTS (SELECT FROM statement
                    WHERE (\(owner) = \(UUID.platform) OR tenant_id = \(owner)) AND period >= \(effectiveFrom.month)) AS closed
                """)
            guard try !found[0].get("closed", as: Bool.self)
            else {
                throw Problem(
                    .conflict,
                    "\(effectiveFrom.month) or a later month is closed, and its bill cannot change. Choose a day in an open month."
                )
            }
            let tiers = JSON(bytes: try JSONWriter.encode(prices.tiers))
            let card = try RateCard(
                try await db.run(
                    """
                    INSERT INTO rate_card (tenant_id, id, plan, version, effective_from, follows_plan, currency, base_fee_micros,
                        included_logins, minimum_micros, tier_mode, tiers, silent_login_micros, created_at)
                    SELECT \(owner), \(ID<RateCard>(at: now)), \(plan), COALESCE(max(version), 0) + 1, \(effectiveFrom), \(followsPlan),
                        \(prices.currency), \(prices.baseFeeMicros), \(prices.includedLogins), \(prices.minimumMicros),
                        \(prices.tierMode), \(tiers), \(prices.silentLoginMicros), \(now)
                    FROM rate_card WHERE tenant_id = \(owner) AND plan IS NOT DISTINCT FROM \(plan)
                    RETURNING tenant_id, id, plan, version, effective_from, follows_plan, currency, base_fee_micros, included_logins,
                        minimum_micros, tier_mode, tiers, silent_login_micros, created_at
                    """)[0])
            _ = try await db.run(
                AuditEvent.insert(action, of: card.id.description, owner: owner, by: origin, after: RateCardReply(card), at: now))
            return card
        }
    }
}
