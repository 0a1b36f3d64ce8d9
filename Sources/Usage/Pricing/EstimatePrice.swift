import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

private struct Reply: Encodable {
    struct Line: Encodable {
        let kind: String
        let description: String
        /// Of logins: counted from 1 behind those that are included.
        let from, to: Int?
        let quantity: Int
        let unit_price_micros: Int
        let unit_price: String
        let exact_micros, amount_micros: Int
        let amount: String
    }

    struct NextTier: Encodable {
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
    let tenant_id: ID<Tenant>?
    let plan: Tenant.Plan
    let on: Day
    let rate_card: RateCardReply
    let currency: Currency
    let lines: [Line]
    let total_micros: Int
    let total: String
    let next_tier: NextTier?

    init(_ estimate: Estimate, logins: Int, tenant: ID<Tenant>?, plan: Tenant.Plan, on day: Day, by card: RateCard) {
        let currency = card.prices.currency
        (self.logins, tenant_id, self.plan, on, rate_card) = (logins, tenant, plan, day, RateCardReply(card))
        self.currency = currency
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
    /// As the API calls it, as people do, and which logins it is about.
    fileprivate var inWords: (kind: String, text: String, from: Int?, to: Int?) {
        switch self {
        case .baseFee: ("base_fee", "Base fee", nil, nil)
        case .included: ("included", "Included logins", nil, nil)
        case .logins(let from, let to):
            // None at all: there is no first one either.
            to < from ? ("logins", "Logins", nil, nil) : ("logins", "Logins \(from) to \(to)", from, to)
        case .minimum: ("minimum", "Up to the minimum", nil, nil)
        }
    }
}

extension UsageRoutes {
    /// What a whole month with so many logins would cost by the prices of a day: those of a plan, or those that hold for a tenant.
    @Sendable
    func estimatePrice(_ request: Request, _ call: KeyContext) async throws -> Response {
        try call.require(.pricingRead)
        var fields = try await JSONFields(request)
        let logins = fields.integer("logins", 0...Prices.mostLogins, isRequired: true)
        let plan = fields.choice("plan", Tenant.Plan.self)
        let name = fields.text("tenant")
        let day = fields.day("on") ?? Day(now())
        if plan != nil, name != nil { fields.refuse("plan", "Name a plan or a tenant: a tenant has a plan.") }
        try fields.finish()
        guard let logins else { throw Problem(.invalid, "`logins` is required.") }

        let tenant = plan == nil ? try await subject(name, call) : nil
        // A tenant's transaction does not see the plans'.
        let cards = try await PlatformDatabase(pool).run(RateCard.all(for: tenant?.id)).map { try RateCard($0) }
        let asked = plan ?? tenant?.plan ?? .free
        guard let card = cards.holding(on: day, plan: asked)
        else { throw Problem.invalid(.init("on", "There were no prices yet on this day.")) }
        return try .json(
            Reply(Estimate(logins: logins, by: card.prices), logins: logins, tenant: tenant?.id, plan: asked, on: day, by: card))
    }

    /// The tenant that is named, or whose key it is. A tenant's key learns nothing of others.
    private func subject(_ name: String?, _ call: KeyContext) async throws -> Tenant? {
        guard let find = name.map({ ID<Tenant>($0).map(Tenant.find) ?? Tenant.find(slug: $0) }) ?? call.tenant.map(Tenant.find)
        else { return nil }
        let tenant = try await PlatformDatabase(pool).run(find).first(Tenant.init)
        guard let tenant, call.caller.mayAct(for: tenant.id) else { throw Problem.invalid(.init("tenant", "There is no such tenant.")) }
        return tenant
    }
}
