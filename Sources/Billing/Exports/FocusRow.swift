import Access
import Foundation
import Ledger
import Postgres

/// One charge by FOCUS 1.2 (focus.finops.org), and what of it stands in which column.
struct FocusRow: Sendable {
    enum Category: String, Sendable {
        case usage = "Usage"
        case purchase = "Purchase"
    }

    enum State: String, Sendable {
        /// The month goes on, or is not closed yet: it may still become more.
        case open
        case closed
    }

    var tenant: ID<Tenant>
    var tenantName: String
    var period: Month
    /// The days that it is for, both of them too. A correction's are those of the month that it corrects.
    var firstDay, lastDay: Day
    /// What a statement's line is called: `base_fee`, `included`, `logins`, `minimum`, `correction`.
    var kind: String
    var description: String
    var currency: Currency
    var quantity: Int
    /// Nil where several prices have their part in it.
    var unitPriceMicros: Int?
    var exactMicros, amountMicros: Int
    var plan: String?
    var rateCard: ID<RateCard>
    var rateCardVersion: Int
    /// The statement's id; nil as long as there is none.
    var invoice: String?
    var state: State
    /// Who runs the installation, as far as it is known: its public host.
    var provider: String

    var isCorrection: Bool { kind == "correction" }
    /// Of what is charged for the time that it is there, and not by the login, there is one.
    var isFee: Bool { kind == "base_fee" || kind == "minimum" }
    var category: Category { isFee ? .purchase : .usage }
    /// Usage is told of where there was some.
    var isTold: Bool { isFee || quantity != 0 || amountMicros != 0 }

    /// Names the price: the version of the rate card, and the part of it. The price of a fee is that of its days, so those of a part of the
    /// month are in the name. A tier is named by its price in millionths. Where several prices have their part in it, no tier is named.
    var priceID: String {
        let part: String
        if isFee {
            let isWhole = firstDay == period.firstDay && lastDay == period.lastDay
            part = isWhole ? kind : "\(kind):\(quantity)-of-\(period.days)-days"
        } else {
            part = kind == "included" ? "login:included" : unitPriceMicros.map { "login:\($0)" } ?? "login"
        }
        return "\(rateCard):\(part)"
    }

    struct Column: Sendable {
        let name: String
        let field: @Sendable (FocusRow) -> CSV.Field

        init(_ name: String, _ field: @escaping @Sendable (FocusRow) -> CSV.Field) {
            (self.name, self.field) = (name, field)
        }
    }

    /// In the alphabet's order; what is ours and not FOCUS's begins with `x_` and comes last.
    static let columns: [Column] = [
        Column("BilledCost") { $0.money($0.amountMicros) },
        Column("BillingAccountId") { .text($0.tenant.description) },
        Column("BillingAccountName") { .text($0.tenantName) },
        Column("BillingCurrency") { .text($0.currency.code) },
        Column("BillingPeriodEnd") { .text(Day.moment($0.period.end)) },
        Column("BillingPeriodStart") { .text(Day.moment($0.period.start)) },
        Column("ChargeCategory") { .text($0.category.rawValue) },
        Column("ChargeClass") { $0.isCorrection ? .text("Correction") : .null },
        Column("ChargeDescription") { .text($0.description) },
        Column("ChargeFrequency") { .text($0.isFee ? "Recurring" : "Usage-Based") },
        Column("ChargePeriodEnd") { .text(Day.moment(($0.lastDay + 1).start)) },
        Column("ChargePeriodStart") { .text(Day.moment($0.firstDay.start)) },
        Column("ConsumedQuantity") { $0.isFee ? .null : .number(String($0.quantity)) },
        Column("ConsumedUnit") { $0.isFee ? .null : .text("Logins") },
        Column("ContractedCost") { $0.cost },
        Column("ContractedUnitPrice") { $0.unitPrice },
        Column("EffectiveCost") { $0.money($0.amountMicros) },
        Column("InvoiceId") { $0.invoice.map(CSV.Field.text) ?? .null },
        Column("InvoiceIssuerName") { .text($0.provider) },
        Column("ListCost") { $0.cost },
        Column("ListUnitPrice") { $0.unitPrice },
        Column("PricingCategory") { _ in .text("Standard") },
        Column("PricingQuantity") { .number($0.isFee ? "1" : String($0.quantity)) },
        Column("PricingUnit") { .text($0.isFee ? "Units" : "Logins") },
        Column("ProviderName") { .text($0.provider) },
        Column("PublisherName") { _ in .text("Espalier") },
        Column("ServiceCategory") { _ in .text("Identity") },
        Column("ServiceName") { _ in .text("Sign in with Apple") },
        Column("ServiceSubcategory") { _ in .text("Other (Identity)") },
        Column("SkuId") { .text($0.isFee ? $0.kind : "login") },
        Column("SkuMeter") { .text($0.isFee ? "Fees" : "Logins") },
        Column("SkuPriceId") { .text($0.priceID) },
        Column("x_LineKind") { .text($0.kind) },
        Column("x_Plan") { $0.plan.map(CSV.Field.text) ?? .null },
        Column("x_RateCardId") { .text($0.rateCard.description) },
        Column("x_RateCardVersion") { .number(String($0.rateCardVersion)) },
        Column("x_StatementState") { .text($0.state.rawValue) },
    ]

    /// An amount in the currency's unit: exact, and so with as many decimals as it needs.
    private func money(_ micros: Int) -> CSV.Field { .number(currency.text(micros: micros)) }

    /// Before the rounding, so that it is price times quantity. Where there is no one price, it is what is billed.
    private var cost: CSV.Field { money(isFee || unitPriceMicros != nil ? exactMicros : amountMicros) }

    /// Times the quantity it is the cost. A fee's is what it comes to for its days.
    private var unitPrice: CSV.Field {
        if isFee { return money(exactMicros) }
        return unitPriceMicros.map(money) ?? .null
    }
}
