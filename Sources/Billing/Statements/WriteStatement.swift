import Access
import Foundation
import Ledger
import Postgres

extension Bill {
    /// The statement that writes the lines and closes the month. The database checks them against its ledger and its rate cards
    /// (`close_statement`), because the server's role has no grant to write statements.
    ///
    /// It counts the events, which takes seconds for millions of them. So it needs its own `statement_timeout`.
    /// - Throws: an `EncodingError`.
    func close(_ month: ClosingMonth, over events: BilledEvents, at now: Date) throws -> SQL {
        """
        SELECT close_statement(\(month.tenant), \(month.period), \(month.claimedUntil), \(events.count)::bigint, \(events.digest), \(now),
            \(try Self.json(terms.map(TermRow.init))), \(try Self.json(lines.map(LineRow.init))))
        """
    }

    private static func json(_ rows: [some Encodable]) throws -> JSON {
        JSON(bytes: Array(try JSONEncoder().encode(rows)))
    }
}

/// A row of `statement_term`, without the columns that the database sets.
private struct TermRow: Encodable {
    let first_day, last_day: Day
    let rate_card_owner, rate_card_id: UUID

    init(_ term: Term) {
        (first_day, last_day) = (term.firstDay, term.lastDay)
        (rate_card_owner, rate_card_id) = (term.rateCard.owner, term.rateCard.id.uuid)
    }
}

/// A row of `statement_line`, without the columns that the database sets.
private struct LineRow: Encodable {
    let kind: StatementLine.Kind
    let service_period, first_day, last_day: Day
    let plan: Tenant.Plan?
    let rate_card_id: UUID
    let rate_card_version: Int
    let description: String
    let quantity: Int
    let unit_price_micros: Int?
    let currency: Currency
    let exact_micros, amount_micros: Int

    init(_ line: StatementLine) {
        (kind, service_period) = (line.kind, line.servicePeriod.firstDay)
        (first_day, last_day, plan) = (line.firstDay, line.lastDay, line.plan)
        (rate_card_id, rate_card_version) = (line.rateCard.uuid, line.rateCardVersion)
        (description, quantity, unit_price_micros) = (line.description, line.quantity, line.unitPriceMicros)
        (currency, exact_micros, amount_micros) = (line.currency, line.exactMicros, line.amountMicros)
    }
}
