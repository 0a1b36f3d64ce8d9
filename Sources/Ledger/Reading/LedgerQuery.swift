import Access
import Foundation
import Postgres

/// The queries for a page of the ledger, one month at a time. So the order of the key is the order of the file, and no sort is needed.
///
/// The values are literals, because COPY accepts no bound values. A setting would work too, but the planner does not know its value. It
/// would plan for the partitions of all months and lock them, and no partition could be created or removed during an export.
extension LedgerPages {
    private static let columns = "tenant_id, billing_period, occurred_at, id, application_id, user_id, kind, connection"

    func rows(after position: Position) -> String {
        switch source {
        // Row-level security shows a tenant only its own rows, regardless of the text.
        case .tenant(let database): ofTenant(database.owner, after: position)
        case .platform: isWhole(position.period) ? ofAll(after: position) : ofEach(after: position)
        }
    }

    private func ofTenant(_ tenant: UUID, after position: Position) -> String {
        """
        SELECT \(Self.columns) FROM usage_event
        WHERE tenant_id = \(tenant.literal) AND billing_period = \(position.period.literal)
            AND (occurred_at, id) > (\(position.time.literal), \(position.id.literal))
            AND occurred_at >= \(from.literal) AND occurred_at < \(to.literal)
        ORDER BY occurred_at, id LIMIT \(pageSize)
        """
    }

    /// Whether the window covers a whole month, except perhaps its last hour. If so, nearly every row that is read is needed.
    private func isWhole(_ period: Month) -> Bool {
        from <= period.start && to >= min(period.end, now.addingTimeInterval(-3600))
    }

    private func ofAll(after position: Position) -> String {
        let period = position.period.literal
        return """
            SELECT \(Self.columns) FROM usage_event
            WHERE billing_period = \(period)
                AND (tenant_id, billing_period, occurred_at, id)
                    > (\(position.tenant.literal), \(period), \(position.time.literal), \(position.id.literal))
                AND occurred_at >= \(from.literal) AND occurred_at < \(to.literal)
            ORDER BY tenant_id, occurred_at, id LIMIT \(pageSize)
            """
    }

    /// Reads a part of a month, from tenant to tenant along the key. For each tenant it reads only the rows in the window, however many
    /// rows are before and after.
    ///
    /// The tenants and the rows of each tenant come in order (`LedgerRow.summary` checks this). An additional ORDER BY would read each
    /// tenant to its end for every page.
    private func ofEach(after position: Position) -> String {
        let period = position.period.literal
        return """
            WITH RECURSIVE place (tenant_id, occurred_at, id) AS (
                SELECT \(position.tenant.literal), \(position.time.literal), \(position.id.literal)
                UNION ALL
                SELECT following.tenant_id, \(start.time.literal), \(start.id.literal)
                FROM place CROSS JOIN LATERAL (
                    SELECT tenant_id FROM usage_event WHERE billing_period = \(period) AND tenant_id > place.tenant_id
                    ORDER BY tenant_id LIMIT 1) AS following)
            SELECT event.* FROM place CROSS JOIN LATERAL (
                SELECT \(Self.columns) FROM usage_event
                WHERE tenant_id = place.tenant_id AND billing_period = \(period)
                    AND (occurred_at, id) > (place.occurred_at, place.id)
                    AND occurred_at >= \(from.literal) AND occurred_at < \(to.literal)
                ORDER BY occurred_at, id LIMIT \(pageSize)) AS event
            LIMIT \(pageSize)
            """
    }
}

// The code writes these digits, letters and marks itself, so no character can end the literal.

extension UUID {
    fileprivate var literal: String { "uuid '\(uuidString)'" }
}

extension Month {
    fileprivate var literal: String { "date '\(firstDay)'" }
}

extension Date {
    fileprivate var literal: String { "timestamptz '\(Day.moment(self))'" }
}
