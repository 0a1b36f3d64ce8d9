import Access
import Foundation
import Ledger
import Postgres

/// One charge in FOCUS 1.2 (focus.finops.org), and its columns.
struct FocusRow: Sendable {
    enum Category: String, Sendable {
        case usage = "Usage"
        case purchase = "Purchase"
    }

    enum State: String, Sendable {
        /// The month is in progress or not closed yet, so the charge may still change.
        case open
        case closed
    }

    var tenant: ID<Tenant>
    var tenantName: String
    var period: Month
    /// The first and the last day of the charge. For a correction, these are days of the corrected month.
    var firstDay, lastDay: Day
    /// The kind of the statement line, for example `base_fee` or `logins`.
    var kind: String
    var description: String
    var currency: Currency
    var quantity: Int
    /// Nil if several prices apply.
    var unitPriceMicros: Int?
    var exactMicros, amountMicros: Int
    var plan: String?
    var rateCard: ID<RateCard>
    var rateCardVersion: Int
    /// The ID of the statement. Nil until there is one.
    var invoice: String?
    var state: State
    /// The operator of the installation, identified by its public host.
    var provider: String

    var isCorrection: Bool { kind == "correction" || kind == "silent_correction" }
    /// Whether the charge is for sign-ins without Apple.
    private var isSilent: Bool { kind == "silent_logins" || kind == "silent_correction" }
    /// The measured events. A unit of FOCUS is one word in the plural.
    private var unit: String { isSilent ? "SilentLogins" : "Logins" }
    private var sku: String { isSilent ? "silent_login" : "login" }
    /// Whether the charge is for a period of time and not for logins or silent sign-ins. Its quantity is 1.
    var isFee: Bool { kind == "base_fee" || kind == "minimum" }
    var category: Category { isFee ? .purchase : .usage }
    /// Usage without events and without an amount is left out.
    var isListed: Bool { isFee || quantity != 0 || amountMicros != 0 }

    /// Identifies the price: the version of the rate card and its part. The price of a fee depends on its days, so the name of a part of
    /// the month includes the days. The name of a tier is its price in millionths. If several prices apply, the name includes no tier.
    var priceID: String {
        let part: String
        if isFee {
            let isWhole = firstDay == period.firstDay && lastDay == period.lastDay
            part = isWhole ? kind : "\(kind):\(quantity)-of-\(period.days)-days"
        } else {
            part = kind == "included" ? "login:included" : unitPriceMicros.map { "\(sku):\($0)" } ?? sku
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

    /// The columns in alphabetical order. Columns that FOCUS does not define start with `x_` and come last.
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
        Column("ConsumedUnit") { $0.isFee ? .null : .text($0.unit) },
        Column("ContractedCost") { $0.cost },
        Column("ContractedUnitPrice") { $0.unitPrice },
        Column("EffectiveCost") { $0.money($0.amountMicros) },
        Column("InvoiceId") { $0.invoice.map(CSV.Field.text) ?? .null },
        Column("InvoiceIssuerName") { .text($0.provider) },
        Column("ListCost") { $0.cost },
        Column("ListUnitPrice") { $0.unitPrice },
        Column("PricingCategory") { _ in .text("Standard") },
        Column("PricingQuantity") { .number($0.isFee ? "1" : String($0.quantity)) },
        Column("PricingUnit") { .text($0.isFee ? "Units" : $0.unit) },
        Column("ProviderName") { .text($0.provider) },
        Column("PublisherName") { _ in .text("Espalier") },
        Column("ServiceCategory") { _ in .text("Identity") },
        Column("ServiceName") { _ in .text("Sign in with Apple") },
        Column("ServiceSubcategory") { _ in .text("Other (Identity)") },
        Column("SkuId") { .text($0.isFee ? $0.kind : $0.sku) },
        Column("SkuMeter") { .text($0.isFee ? "Fees" : $0.isSilent ? "Silent sign-ins" : "Logins") },
        Column("SkuPriceId") { .text($0.priceID) },
        Column("x_LineKind") { .text($0.kind) },
        Column("x_Plan") { $0.plan.map(CSV.Field.text) ?? .null },
        Column("x_RateCardId") { .text($0.rateCard.description) },
        Column("x_RateCardVersion") { .number(String($0.rateCardVersion)) },
        Column("x_StatementState") { .text($0.state.rawValue) },
    ]

    /// An exact amount in the currency's unit, with as many decimals as needed.
    private func money(_ micros: Int) -> CSV.Field { .number(currency.text(micros: micros)) }

    /// The cost before rounding, so that it equals price times quantity. Without a single price, it is the billed amount.
    private var cost: CSV.Field { money(isFee || unitPriceMicros != nil ? exactMicros : amountMicros) }

    /// The price that gives the cost when multiplied by the quantity. For a fee, it is the amount for its days.
    private var unitPrice: CSV.Field {
        if isFee { return money(exactMicros) }
        return unitPriceMicros.map(money) ?? .null
    }
}
