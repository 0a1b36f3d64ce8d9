import Access
import Foundation
import Ledger
import Postgres
import Web

/// A statement as callers see it.
struct StatementReply: Encodable, Sendable {
    let id: ID<Statement>
    let object = "statement"
    let tenant_id: ID<Tenant>
    /// The values when the month was closed.
    let tenant_slug, tenant_name: String
    let period: Month
    /// One per currency. Usually there is one.
    let totals: [Total]
    let events: Int
    /// SHA-256 in hexadecimal digits.
    let digest: String
    let closed_at: Date
    /// Nil in lists.
    private(set) var lines: [Line]?

    struct Total: Encodable, Sendable {
        let currency: Currency
        let amount_micros: Int
        let amount: String

        /// Ordered by their codes.
        static func all(_ sums: [Currency: Int]) -> [Total] {
            sums.sorted { $0.key.code < $1.key.code }.map { Total(currency: $0, amount_micros: $1, amount: $0.text(micros: $1)) }
        }
    }

    struct Line: Encodable, Sendable {
        let kind: StatementLine.Kind
        let service_period: Month
        let first_day, last_day: Day
        let plan: Tenant.Plan?
        let rate_card_id: ID<RateCard>
        let rate_card_version: Int
        let own_rate_card: Bool
        let description: String
        let quantity: Int
        let unit_price_micros: Int?
        let unit_price: String?
        let currency: Currency
        let exact_micros, amount_micros: Int
        let amount: String

        init(_ line: StatementLine) {
            (kind, service_period, first_day, last_day) = (line.kind, line.servicePeriod, line.firstDay, line.lastDay)
            (plan, rate_card_id, rate_card_version) = (line.plan, line.rateCard, line.rateCardVersion)
            own_rate_card = line.ownRateCard
            (description, quantity, currency) = (line.description, line.quantity, line.currency)
            unit_price_micros = line.unitPriceMicros
            unit_price = line.unitPriceMicros.map { line.currency.text(micros: $0) }
            (exact_micros, amount_micros) = (line.exactMicros, line.amountMicros)
            amount = line.currency.text(micros: line.amountMicros)
        }
    }

    /// Reads a statement without its lines.
    init(_ row: Row) throws {
        id = try row.get("id")
        tenant_id = try row.get("tenant_id")
        tenant_slug = try row.get("tenant_slug")
        tenant_name = try row.get("tenant_name")
        period = try row.get("period")
        events = try row.get("events")
        digest = try row.get("digest")
        closed_at = try row.get("closed_at")
        let sums = try row.get("totals", as: JSON?.self).map {
            try JSONDecoder().decode([String: Int].self, from: Data($0.bytes))
        }
        totals = Total.all(
            Dictionary(
                uniqueKeysWithValues: try (sums ?? [:]).map { code, micros in
                    // An unreadable sum is an error and must never be omitted.
                    guard let currency = Currency(code) else { throw SQLMismatch() }
                    return (currency, micros)
                }))
    }
}

// MARK: SQL

extension StatementReply {
    /// A caller identifies a statement by its ID or its month.
    enum Name: Sendable {
        case id(ID<Statement>), period(Month)

        init?(_ text: String) {
            if let month = Month(text) {
                self = .period(month)
            } else if let id = ID<Statement>(text) {
                self = .id(id)
            } else {
                return nil
            }
        }

        fileprivate var id: ID<Statement>? { if case .id(let id) = self { id } else { nil } }
        fileprivate var period: Month? { if case .period(let period) = self { period } else { nil } }
    }

    /// Finds a closed statement and its lines.
    static func find(_ name: Name, of tenant: ID<Tenant>, in db: some StatementRunner) async throws -> StatementReply? {
        let (statements, lines) = try await db.run(
            """
            SELECT s.tenant_id, s.id, s.tenant_slug, s.tenant_name, s.period, s.events, encode(s.digest, 'hex') AS digest, s.closed_at,
                (SELECT jsonb_object_agg(currency, amount_micros) FROM (
                    SELECT l.currency, sum(l.amount_micros) AS amount_micros FROM statement_line l
                    WHERE l.tenant_id = s.tenant_id AND l.period = s.period GROUP BY l.currency) AS summed) AS totals
            FROM statement s
            WHERE s.tenant_id = \(tenant) AND s.state = 'closed' AND (s.id = \(name.id) OR s.period = \(name.period))
            """,
            """
            SELECT l.kind, l.service_period, l.first_day, l.last_day, l.plan, l.rate_card_id, l.rate_card_version, l.description, l.quantity,
                l.unit_price_micros, l.currency, l.exact_micros, l.amount_micros, EXISTS (
                    SELECT FROM rate_card WHERE rate_card.tenant_id = l.tenant_id AND id = l.rate_card_id) AS own_rate_card
            FROM statement s JOIN statement_line l ON l.tenant_id = s.tenant_id AND l.period = s.period
            WHERE s.tenant_id = \(tenant) AND s.state = 'closed' AND (s.id = \(name.id) OR s.period = \(name.period))
            ORDER BY l.position
            """)
        guard var statement = try statements.first(StatementReply.init) else { return nil }
        statement.lines = try lines.map { Line(try StatementLine($0)) }
        return statement
    }

    static func page(_ page: PageRequest, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT s.tenant_id, s.id, s.tenant_slug, s.tenant_name, s.period, s.events, encode(s.digest, 'hex') AS digest, s.closed_at,
            (SELECT jsonb_object_agg(currency, amount_micros) FROM (
                SELECT l.currency, sum(l.amount_micros) AS amount_micros FROM statement_line l
                WHERE l.tenant_id = s.tenant_id AND l.period = s.period GROUP BY l.currency) AS summed) AS totals
        FROM statement s
        WHERE s.tenant_id = \(tenant) AND s.state = 'closed' AND s.id < \(page.upper) AND s.id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN s.id END ASC, s.id DESC LIMIT \(page.fetched)
        """
    }

    /// The statements of all tenants for a month.
    static func page(_ page: PageRequest, of period: Month) -> SQL {
        """
        SELECT s.tenant_id, s.id, s.tenant_slug, s.tenant_name, s.period, s.events, encode(s.digest, 'hex') AS digest, s.closed_at,
            (SELECT jsonb_object_agg(currency, amount_micros) FROM (
                SELECT l.currency, sum(l.amount_micros) AS amount_micros FROM statement_line l
                WHERE l.tenant_id = s.tenant_id AND l.period = s.period GROUP BY l.currency) AS summed) AS totals
        FROM statement s
        WHERE s.period = \(period) AND s.state = 'closed' AND s.id < \(page.upper) AND s.id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN s.id END ASC, s.id DESC LIMIT \(page.fetched)
        """
    }
}
