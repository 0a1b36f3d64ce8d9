import Access
import Ledger

/// An estimate as callers see it. The pages show the same data.
struct EstimateReply: Encodable, Sendable {
    struct Line: Encodable, Sendable {
        let kind: String
        let description: String
        /// The range of logins, counted from 1 after the included ones.
        let from, to: Int?
        let quantity: Int
        let unit_price_micros: Int
        let unit_price: String
        let exact_micros, amount_micros: Int
        let amount: String
    }

    struct NextTier: Encodable, Sendable {
        let from_login: Int
        let additional_logins: Int
        let unit_price_micros: Int
        let unit_price: String
        let total_micros: Int
        let total: String
        let change_micros: Int
        let change: String
    }

    let object = "estimate"
    let logins: Int
    let silent_logins: Int
    let tenant_id: ID<Tenant>?
    let plan: Tenant.Plan
    let on: Day
    let rate_card: RateCardReply
    let currency: Currency
    let lines: [Line]
    let total_micros: Int
    let total: String
    let next_tier: NextTier?

    /// Nil if no price was in effect on the day.
    /// - Parameters:
    /// - logins: the logins of a whole month, at most `Prices.mostLogins`.
    /// - silent: the silent sign-ins of the month, at most as many.
    /// - cards: all rate cards that may be in effect.
    /// - Throws: `Rating.TooMany`.
    init?(_ logins: Int, silent: Int = 0, by cards: [RateCard], plan: Tenant.Plan, tenant: ID<Tenant>? = nil, on day: Day) throws {
        guard let card = cards.holding(on: day, plan: plan) else { return nil }
        let estimate = try Estimate(logins: logins, silent: silent, by: card.prices)
        let currency = card.prices.currency
        (self.logins, tenant_id, self.plan, on, rate_card) = (logins, tenant, plan, day, RateCardReply(card))
        (self.currency, silent_logins) = (currency, silent)
        lines = estimate.charges.map { charge in
            let (kind, text, from, to) = charge.kind.inWords
            return Line(
                kind: kind, description: text, from: from, to: to, quantity: charge.quantity,
                unit_price_micros: charge.unitPriceMicros, unit_price: currency.text(micros: charge.unitPriceMicros),
                exact_micros: charge.exactMicros, amount_micros: charge.amountMicros, amount: currency.text(micros: charge.amountMicros))
        }
        (total_micros, total) = (estimate.totalMicros, currency.text(micros: estimate.totalMicros))
        next_tier = estimate.nextTier.map { tier in
            let change = tier.totalMicros - estimate.totalMicros
            return NextTier(
                from_login: tier.fromLogin, additional_logins: tier.fromLogin - logins, unit_price_micros: tier.unitPriceMicros,
                unit_price: currency.text(micros: tier.unitPriceMicros), total_micros: tier.totalMicros,
                total: currency.text(micros: tier.totalMicros), change_micros: change, change: currency.text(micros: change))
        }
    }
}

extension Rating.Charge.Kind {
    /// The kind in the API, its text for people, and its range of logins.
    fileprivate var inWords: (kind: String, text: String, from: Int?, to: Int?) {
        switch self {
        case .baseFee: ("base_fee", "Base fee", nil, nil)
        case .included: ("included", "Included logins", nil, nil)
        case .logins(let from, let to):
            // Without logins there is no first login either.
            to < from ? ("logins", "Logins", nil, nil) : ("logins", "Logins \(from.grouped) to \(to.grouped)", from, to)
        case .silentLogins: ("silent_logins", "Silent sign-ins", nil, nil)
        case .minimum: ("minimum", "Up to the minimum", nil, nil)
        }
    }
}
