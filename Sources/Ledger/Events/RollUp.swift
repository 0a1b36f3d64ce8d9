package import Access
package import Foundation
package import Postgres

/// Aggregates new events of the ledger by day (`usage_day`), and counts the distinct users of logins (`usage_users`). So no request counts
/// millions of events.
///
/// The transaction that aggregates an event also deletes it from `usage_arrival`, and a trigger then inserts it into `usage_event`. So an
/// event is either waiting or counted, and a process that dies has changed nothing. One process does this at a time. Otherwise two of them
/// could count the same user as new.
package struct RollUp: Sendable {
    /// The time from the timestamp of a login until it is visible here, in seconds. It is longer than a request waits for its database
    /// connection, its locks and its statements, plus the clock difference between servers. Numbers are complete up to this long ago. This
    /// is the default of a setting.
    package static let delay: TimeInterval = 120

    private static let smallestBatch = 100

    /// Runs in the transaction that adds up, after it has added.
    /// - Parameters:
    ///   - added: The tenants and months that have new events.
    package typealias Watch = @Sendable (_ added: [(tenant: ID<Tenant>, month: Month)], _ now: Date, _ db: Transaction) async throws -> Void

    private let database: PlatformDatabase
    private let watch: Watch

    /// - Parameter watch: Compares the new sums with what depends on them, such as budgets.
    package init(database: PlatformDatabase, watch: @escaping Watch) {
        (self.database, self.watch) = (database, watch)
    }

    /// Aggregates all events that have arrived before this call.
    ///
    /// - Parameters:
    /// - waits: whether to wait for another process that aggregates. If false, the call leaves the work to that process.
    /// - batch: the maximum number of events per transaction.
    /// - now: decides the current month for budgets.
    /// - Returns: the number of events that this call aggregated.
    @discardableResult
    package func add(waits: Bool = true, batch: Int = 10_000, at now: Date) async throws -> Int {
        var (total, batch) = (0, batch)
        while true {
            do {
                let added = try await addSome(waits: waits, batch: batch, at: now)
                total += added
                if added < batch { return total }
            } catch let error as DatabaseError where error.sqlState == "57014" && batch > Self.smallestBatch {
                // A busy database processes fewer events per transaction. The next pass starts with the full batch again.
                batch = max(batch / 4, Self.smallestBatch)
            }
        }
    }

    private func addSome(waits: Bool, batch: Int, at now: Date) async throws -> Int {
        // Usually nothing has arrived, and then the lock is unnecessary.
        guard try await !database.run("SELECT FROM usage_arrival LIMIT 1").isEmpty else { return 0 }
        return try await database.transaction { db in
            // This is a separate statement, so that the next one sees all changes before the lock. The lock's number is "roll" in ASCII. No
            // request takes the lock, because it would delay the usage and the bills of all tenants.
            // The setting tells the database that this process knows silent sign-ins (`silent_login_kept`).
            if waits {
                _ = try await db.run(
                    "SELECT pg_advisory_xact_lock(1919904876, 0), set_config('espalier.knows_silent_logins', 'true', true)")
            } else {
                let locked = try await db.run(
                    """
                    SELECT pg_try_advisory_xact_lock(1919904876, 0) AS locked, set_config('espalier.knows_silent_logins', 'true', true)
                    """)
                guard try locked[0].get("locked") else { return 0 }
            }
            let added = try await db.run(Self.add(batch)).map { row in
                (
                    tenant: try row.get("tenant_id", as: ID<Tenant>.self), month: try row.get("month", as: Month.self),
                    events: try row.get("events", as: Int.self)
                )
            }
            try await watch(added.map { ($0.tenant, $0.month) }, now, db)
            return added.reduce(0) { $0 + $1.events }
        }
    }

    /// All parts of this one statement see the tables in their state before it. So `marked` contains the users that were counted before,
    /// and the difference to them is added to the counts.
    private static func add(_ batch: Int) -> SQL {
        """
        WITH taken AS (
            DELETE FROM usage_arrival WHERE (tenant_id, id) IN (
                SELECT tenant_id, id FROM usage_arrival ORDER BY tenant_id, id LIMIT \(batch))
            RETURNING tenant_id, (occurred_at AT TIME ZONE 'UTC')::date AS day, billing_period, application_id, user_id, kind, connection),
        of_days AS (
            INSERT INTO usage_day AS counted (tenant_id, day, billing_period, application_id, connection, kind, events)
            SELECT tenant_id, day, billing_period, application_id, connection, kind, count(*) FROM taken GROUP BY 1, 2, 3, 4, 5, 6
            ON CONFLICT (tenant_id, day, billing_period, application_id, connection, kind)
                DO UPDATE SET events = counted.events + excluded.events),
        arrived AS (
            SELECT tenant_id, date_trunc('month', day)::date AS month, user_id, application_id, connection,
                bit_or(1 << (extract(day FROM day)::integer - 1)) AS days
            FROM taken
            -- An archived month has no marks. Its users do not change until it is restored (`RestoredUsers`).
            WHERE kind = 'login' AND date_trunc('month', day)::date NOT IN (SELECT usage_archive.month FROM usage_archive)
            GROUP BY 1, 2, 3, 4, 5),
        marking AS (
            INSERT INTO usage_month_user AS mark (tenant_id, month, user_id, application_id, connection, days)
            SELECT tenant_id, month, user_id, application_id, connection, days FROM arrived
            ON CONFLICT (tenant_id, month, user_id, application_id, connection)
                DO UPDATE SET days = mark.days | excluded.days WHERE mark.days | excluded.days <> mark.days),
        marked AS (
            SELECT tenant_id, month, user_id, application_id, connection, bit_or(days) AS days
            FROM (SELECT DISTINCT tenant_id, month, user_id FROM arrived) AS whose
                JOIN usage_month_user USING (tenant_id, month, user_id)
            GROUP BY tenant_id, month, user_id, CUBE (application_id, connection)),
        marks AS (
            SELECT tenant_id, month, user_id, application_id, connection, bit_or(days) AS days FROM arrived
            GROUP BY tenant_id, month, user_id, CUBE (application_id, connection)),
        gained AS (
            SELECT marks.tenant_id, marks.month, COALESCE(marks.application_id, \(UUID.platform)) AS application_id,
                COALESCE(marks.connection, '') AS connection, marks.days & ~COALESCE(marked.days, 0) AS days,
                marked.days IS NULL AS is_first
            FROM marks LEFT JOIN marked ON marked.tenant_id = marks.tenant_id AND marked.month = marks.month
                AND marked.user_id = marks.user_id AND marked.application_id IS NOT DISTINCT FROM marks.application_id
                AND marked.connection IS NOT DISTINCT FROM marks.connection),
        of_users AS (
            INSERT INTO usage_users AS counted (tenant_id, grain, starts_on, application_id, connection, users)
            SELECT tenant_id, 'month', month, application_id, connection, count(*) FROM gained WHERE is_first GROUP BY 1, 3, 4, 5
            UNION ALL
            SELECT tenant_id, 'day', month + bit, application_id, connection, sum(users)::bigint
            FROM (SELECT tenant_id, month, application_id, connection, days, count(*) AS users FROM gained GROUP BY 1, 2, 3, 4, 5) AS alike
                CROSS JOIN generate_series(0, 30) AS bit
            WHERE days & (1 << bit) <> 0 GROUP BY 1, 3, 4, 5
            ON CONFLICT (tenant_id, grain, starts_on, application_id, connection) DO UPDATE SET users = counted.users + excluded.users)
        SELECT tenant_id, date_trunc('month', day)::date AS month, count(*) AS events FROM taken GROUP BY 1, 2
        """
    }

    // MARK: The watermark

    /// The end of a tenant's complete numbers. They include every login before this time.
    package static func completeUntil(of tenant: ID<Tenant>, delay: TimeInterval, at now: Date) -> SQL {
        """
        SELECT LEAST(\(now.addingTimeInterval(-delay)), (SELECT min(occurred_at) FROM usage_arrival WHERE tenant_id = \(tenant)))
            AS complete_until
        """
    }
}
