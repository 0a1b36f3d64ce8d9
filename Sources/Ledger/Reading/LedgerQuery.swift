import Access
import Foundation
import Postgres

/// What a page of the ledger is asked for by, one month at a time, so that the key's order is the file's and nothing is sorted.
///
/// Its values are literals, since COPY takes none that are bound. A setting would do, too, but the planner does not know what it says: it
/// would plan for every month's part of the table and lock them all, and a part could neither be made nor taken out beside an export.
extension LedgerPages {
    private static let columns = "tenant_id, billing_period, occurred_at, id, application_id, user_id, kind, connection"

    func rows(after position: Position) -> String {
        switch source {
        // Whatever the text says, row-level security shows the tenant its own.
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

    /// Whether the window has all that happened in a month, but perhaps for its last hour: then nearly every row that is read is wanted.
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

    /// Of a part of the month: from tenant to tenant along the key, and of each only what lies in the window. What happened before and
    /// after is not read, however much it is. The tenants come in their order, and each one's rows in theirs (`LedgerRow.summary` makes
    /// sure of it): to say so once more around it would have a tenant read to its end for each page.
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

// Digits, letters and marks that we put there ourselves: nothing in them can end them.

extension UUID {
    fileprivate var literal: String { "uuid '\(uuidString)'" }
}

extension Month {
    fileprivate var literal: String { "date '\(firstDay)'" }
}

extension Date {
    fileprivate var literal: String { "timestamptz '\(Day.moment(self))'" }
}
