package import Access
import Foundation
package import Ledger
import Postgres

/// One charge on a statement.
package struct StatementLine: Equatable, Sendable {
    package enum Kind: String, Codable, CaseIterable, SQLValue, Sendable {
        case baseFee = "base_fee"
        /// Free logins.
        case included
        case logins
        /// Sign-ins without Apple, free or not.
        case silentLogins = "silent_logins"
        /// The difference to the minimum charge of a month.
        case minimum
        /// Late logins, billed after their month was closed.
        case correction
        /// Late silent sign-ins, billed after their month was closed.
        case silentCorrection = "silent_correction"
    }

    package let kind: Kind
    /// The month of the charge: the statement's own month, or the month that a correction corrects.
    package let servicePeriod: Month
    package let firstDay, lastDay: Day
    package let plan: Tenant.Plan?
    package let rateCard: ID<RateCard>
    package let rateCardVersion: Int
    /// Whether the rate card is the tenant's own, not the plan's. Both number their versions from 1.
    package let ownRateCard: Bool
    package let description: String
    /// The number of logins or silent sign-ins. For a base fee or a minimum, the number of days.
    package let quantity: Int
    /// Nil if several prices apply.
    package let unitPriceMicros: Int?
    package let currency: Currency
    /// The amounts before and after rounding. The amount of a minimum or a correction is the difference of rounded amounts.
    package let exactMicros, amountMicros: Int
}

extension StatementLine {
    init(_ row: Row) throws {
        self.init(
            kind: try row.get("kind"), servicePeriod: try row.get("service_period"), firstDay: try row.get("first_day"),
            lastDay: try row.get("last_day"), plan: try row.get("plan"), rateCard: try row.get("rate_card_id"),
            rateCardVersion: try row.get("rate_card_version"), ownRateCard: try row.get("own_rate_card"),
            description: try row.get("description"), quantity: try row.get("quantity"),
            unitPriceMicros: try row.get("unit_price_micros"), currency: try row.get("currency"),
            exactMicros: try row.get("exact_micros"), amountMicros: try row.get("amount_micros"))
    }

    /// The lines of a statement, in order. The rate card names its owner. It never changes, and remains after its tenant is purged.
    static func all(of period: Month, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT kind, service_period, first_day, last_day, plan, rate_card_id, rate_card_version, description, quantity,
            unit_price_micros, currency, exact_micros, amount_micros, EXISTS (
                SELECT FROM rate_card WHERE rate_card.tenant_id = statement_line.tenant_id AND id = rate_card_id) AS own_rate_card
        FROM statement_line WHERE tenant_id = \(tenant) AND period = \(period) ORDER BY position
        """
    }
}
