import Foundation
package import Postgres
package import Tenancy

/// Recomputes what was added up and what was billed from the ledger's events, and says where they differ.
///
/// What waits to be added up is left out on both sides, and each comparison is one statement, which sees one moment: so it can be
/// done while people sign in.
package enum VerifyUsage {
    /// One tenant's month, in which events are billed.
    package struct Period: Sendable {
        package let tenant: ID<Tenant>
        package let slug: String
        package let month: Month
        /// Whether its events are no longer in the ledger: the tenant is purged, or the month was taken out. Its numbers can then be
        /// compared with nothing.
        package let isTakenOut: Bool
    }

    package struct Result: Sendable {
        /// How many events the ledger has of the month, those included that wait.
        package internal(set) var events = 0
        /// How many of them are still to be added up.
        package internal(set) var waiting = 0
        /// Nil where the month is not closed.
        package internal(set) var statement: Int?
        /// A line each; none when all agrees.
        package internal(set) var differences: [String] = []
    }

    /// How many differences of a kind are told.
    private static let most = 20

    /// All months with events or sums, the oldest first.
    ///
    /// - Parameters:
    ///   - slug: whose; all tenants' without one.
    ///   - months: which; all without a bound.
    package static func periods(of slug: String?, from: Month?, to: Month?, in database: PlatformDatabase) async throws -> [Period] {
        try await database.run(
            """
            SELECT tenant.id, tenant.slug, month, tenant.status = 'purged' OR (
                NOT EXISTS (SELECT FROM usage_event WHERE tenant_id = tenant.id AND billing_period = month)
                AND NOT EXISTS (
                    SELECT FROM pg_inherits WHERE inhparent = 'usage_event'::regclass
                        AND inhrelid = to_regclass('usage_event_' || to_char(month, 'YYYY_MM')))) AS taken_out
            FROM (
                SELECT tenant_id, billing_period AS month FROM usage_day
                UNION SELECT tenant_id, billing_period FROM usage_event
                UNION SELECT tenant_id, date_trunc('month', starts_on)::date FROM usage_users
                UNION SELECT tenant_id, period FROM statement WHERE state = 'closed'
            ) AS used JOIN tenant ON tenant.id = used.tenant_id
            WHERE slug = COALESCE(\(slug), slug) AND month BETWEEN COALESCE(\(from), '-infinity') AND COALESCE(\(to), 'infinity')
            ORDER BY slug, month
            """
        ).map { row in
            Period(
                tenant: try row.get("id"), slug: try row.get("slug"), month: try row.get("month"), isTakenOut: try row.get("taken_out"))
        }
    }

    /// - Parameter pool: one whose statements may take long.
    package static func verify(_ period: Period, in pool: DatabasePool) async throws -> Result {
        let database = PlatformDatabase(pool)
        var result = Result()
        let counts = try await database.run(
            """
            SELECT count(*) AS events, count(a.id) AS waiting FROM usage_event e LEFT JOIN usage_arrival a
                ON a.tenant_id = e.tenant_id AND a.id = e.id
            WHERE e.tenant_id = \(period.tenant) AND e.billing_period = \(period.month)
            """)
        (result.events, result.waiting) = (try counts[0].get("events"), try counts[0].get("waiting"))
        result.differences += try await database.run(strangers(period)).map { row in
            "event \(try row.get("id", as: UUID.self).uuidString.lowercased()) waits to be added up, and the ledger does not have it so"
        }
        result.differences += try await database.run(days(period)).map { row in
            try difference("", row, "events")
        }
        result.differences += try await database.run(users(period)).map { row in
            try difference("users of ", row, "users")
        }
        try await compareStatement(period, &result, in: pool)
        return result
    }

    private static func difference(_ prefix: String, _ row: Row, _ counted: String) throws -> String {
        let what = try row.get("what", as: String.self)
        return "\(prefix)\(what): \(try row.get(counted, as: Int.self)) in the ledger, \(try row.get("told", as: Int.self)) added up"
    }

    /// What waits and is not in the ledger, or not as it stands there.
    private static func strangers(_ period: Period) -> SQL {
        """
        SELECT id FROM usage_arrival a WHERE tenant_id = \(period.tenant) AND billing_period = \(period.month) AND NOT EXISTS (
            SELECT FROM usage_event e WHERE e.tenant_id = a.tenant_id AND e.billing_period = a.billing_period
                AND e.occurred_at = a.occurred_at AND e.id = a.id AND e.application_id = a.application_id AND e.user_id = a.user_id
                AND e.kind = a.kind AND e.connection = a.connection)
        ORDER BY id LIMIT \(most)
        """
    }

    private static func days(_ period: Period) -> SQL {
        """
        WITH counted AS (
            SELECT day, application_id, connection, kind, count(*) AS events FROM (
                SELECT (occurred_at AT TIME ZONE 'UTC')::date AS day, application_id, connection, kind FROM usage_event e
                WHERE tenant_id = \(period.tenant) AND billing_period = \(period.month)
                    AND NOT EXISTS (SELECT FROM usage_arrival a WHERE a.tenant_id = \(period.tenant) AND a.id = e.id)) AS event
            GROUP BY 1, 2, 3, 4),
        told AS (
            SELECT day, application_id, connection, kind, events FROM usage_day
            WHERE tenant_id = \(period.tenant) AND billing_period = \(period.month))
        SELECT concat_ws(' ', day, kind, connection, public_id('app', application_id)) AS what, COALESCE(counted.events, 0) AS events,
            COALESCE(told.events, 0) AS told
        FROM counted FULL JOIN told USING (day, application_id, connection, kind)
        WHERE counted.events IS DISTINCT FROM told.events ORDER BY day, kind, connection, application_id LIMIT \(most)
        """
    }

    /// Users count in the month in which they signed in, whenever that is billed.
    private static func users(_ period: Period) -> SQL {
        """
        WITH mark AS (
            SELECT user_id, application_id, connection,
                bit_or(1 << (extract(day FROM occurred_at AT TIME ZONE 'UTC')::integer - 1)) AS days
            FROM usage_event e
            WHERE tenant_id = \(period.tenant) AND billing_period >= \(period.month)
                AND occurred_at >= \(period.month.start) AND occurred_at < \(period.month.end)
                AND NOT EXISTS (SELECT FROM usage_arrival a WHERE a.tenant_id = \(period.tenant) AND a.id = e.id)
            GROUP BY 1, 2, 3),
        marks AS (
            SELECT COALESCE(application_id, \(UUID.platform)) AS application_id, COALESCE(connection, '') AS connection, bit_or(days) AS days
            FROM mark GROUP BY user_id, CUBE (application_id, connection)),
        counted AS (
            SELECT 'month' AS grain, \(period.month) AS starts_on, application_id, connection, count(*) AS users FROM marks GROUP BY 3, 4
            UNION ALL
            SELECT 'day', \(period.month) + bit, application_id, connection, sum(users)::bigint
            FROM (SELECT application_id, connection, days, count(*) AS users FROM marks GROUP BY 1, 2, 3) AS alike
                CROSS JOIN generate_series(0, 30) AS bit
            WHERE days & (1 << bit) <> 0 GROUP BY 2, 3, 4),
        told AS (
            SELECT grain, starts_on, application_id, connection, users FROM usage_users
            WHERE tenant_id = \(period.tenant) AND starts_on BETWEEN \(period.month.firstDay) AND \(period.month.lastDay))
        SELECT concat_ws(' ', grain, starts_on, NULLIF(connection, ''),
                public_id('app', NULLIF(application_id, \(UUID.platform)))) AS what,
            COALESCE(counted.users, 0) AS users, COALESCE(told.users, 0) AS told
        FROM counted FULL JOIN told USING (grain, starts_on, application_id, connection)
        WHERE counted.users IS DISTINCT FROM told.users ORDER BY grain, starts_on, application_id, connection LIMIT \(most)
        """
    }

    /// The closed month's number and digest, from the events themselves.
    private static func compareStatement(_ period: Period, _ result: inout Result, in pool: DatabasePool) async throws {
        let statement = try await PlatformDatabase(pool).run(
            """
            SELECT events, digest FROM statement
            WHERE tenant_id = \(period.tenant) AND period = \(period.month) AND state = 'closed'
            """)
        guard let row = statement.first else { return }
        let (events, digest) = (try row.get("events", as: Int.self), try row.get("digest", as: [UInt8].self))
        result.statement = events
        let ledger = try await BilledEvents.read(of: period.tenant, in: period.month, from: pool)
        if ledger.count != events {
            result.differences.append("the statement: \(ledger.count) in the ledger, \(events) billed")
        } else if ledger.digest != digest {
            result.differences.append("the statement: as many events are in the ledger as were billed, but not the same ones")
        } else {
            let bill = try await Bill(
                of: period.tenant, in: period.month, events: ledger, isWritten: true, from: PlatformDatabase(pool))
            let billed = try await PlatformDatabase(pool).run(StatementLine.all(of: period.month, period.tenant)).map(StatementLine.init)
            let places = 0..<max(bill.lines.count, billed.count)
            result.differences += places.filter { !(bill.lines.indices ~= $0 && billed.indices ~= $0 && bill.lines[$0] == billed[$0]) }
                .map { "the statement: line \($0 + 1) is not what the ledger and the prices of then come to" }
        }
    }
}
