package import Access
import Foundation
package import Ledger
import Postgres

/// One charge on a statement.
package struct StatementLine: Equatable, Sendable {
    package enum Kind: String, Codable, CaseIterable, SQLValue, Sendable {
        case baseFee = "base_fee"
        /// Logins that cost nothing.
        case included
        case logins
        /// What was missing to the least that a month costs.
        case minimum
        /// What came when its month was closed.
        case correction
    }

    package let kind: Kind
    /// The month it is for: the statement's own, or that which a correction corrects.
    package let servicePeriod: Month
    package let firstDay, lastDay: Day
    package let plan: Tenant.Plan?
    package let rateCard: ID<RateCard>
    package let rateCardVersion: Int
    /// Whether it is the tenant's; otherwise it is the plan's. Both count their versions from 1.
    package let ownRateCard: Bool
    package let description: String
    /// Logins; of a base fee or a minimum, days.
    package let quantity: Int
    /// Nil where several prices have their part in it.
    package let unitPriceMicros: Int?
    package let currency: Currency
    /// Before the rounding, and after it. The amount of a minimum or a correction is the difference of rounded amounts.
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

    /// Those of a statement, in their order. Whose rate card it is says the card, which never changes and stays when its tenant goes.
    static func all(of period: Month, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT kind, service_period, first_day, last_day, plan, rate_card_id, rate_card_version, description, quantity,
            unit_price_micros, currency, exact_micros, amount_micros, EXISTS (
                SELECT FROM rate_card WHERE rate_card.tenant_id = statement_line.tenant_id AND id = rate_card_id) AS own_rate_card
        FROM statement_line WHERE tenant_id = \(tenant) AND period = \(period) ORDER BY position
        """
    }
}
