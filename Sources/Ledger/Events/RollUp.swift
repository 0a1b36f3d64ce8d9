package import Access
package import Foundation
package import Postgres

/// Adds up what has arrived in the ledger: by days (`usage_day`), and how many different users they were (`usage_users`), so that nobody
/// counts millions of events to answer.
///
/// An event is taken from `usage_arrival` in the transaction that adds it up, so it is waiting or counted, never both and never neither:
/// a process that dies on the way has done nothing. One process does it at a time, since two would see the same user for the first
/// time both.
package struct RollUp: Sendable {
    /// From when a login is dated to when it can be seen here: longer than a request waits for its connection, its locks and its
    /// statements, and than clocks are apart. What is said to be complete is so up to this long ago; in seconds, unless a setting says
    /// otherwise.
    package static let delay: TimeInterval = 120

    private static let smallestBatch = 100

    /// Runs in the transaction that adds up, after it has added.
    /// - Parameters:
    ///   - added: The tenants and months that have new events.
    package typealias Watch = @Sendable (_ added: [(tenant: ID<Tenant>, month: Month)], _ now: Date, _ db: Transaction) async throws -> Void

    private let pool: DatabasePool
    private let watch: Watch

    /// - Parameter watch: Compares the new sums with what depends on them, such as budgets.
    package init(pool: DatabasePool, watch: @escaping Watch) {
        (self.pool, self.watch) = (pool, watch)
    }

    /// Adds up all that has arrived when this is called.
    ///
    /// - Parameters:
    ///   - waits: whether another process that is doing it is waited for. Without, it is left to do it.
    ///   - batch: how many events go in one transaction at the most.
    ///   - now: decides what month it is for budgets.
    /// - Returns: how many events were added up here.
    @discardableResult
    package func add(waits: Bool = true, batch: Int = 10_000, at now: Date) async throws -> Int {
        var (total, batch) = (0, batch)
        while true {
            do {
                let added = try await addSome(waits: waits, batch: batch, at: now)
                total += added
                if added < batch { return total }
            } catch let error as DatabaseError where error.sqlState == "57014" && batch > Self.smallestBatch {
                // A database that is busy does fewer in the time that it has; at the next pass, it is asked for all again.
                batch = max(batch / 4, Self.smallestBatch)
            }
        }
    }

    private func addSome(waits: Bool, batch: Int, at now: Date) async throws -> Int {
        let database = PlatformDatabase(pool)
        // Mostly there is nothing, and nobody needs to be kept waiting for that.
        guard try await !database.run("SELECT FROM usage_arrival LIMIT 1").isEmpty else { return 0 }
        return try await database.transaction { db in
            // A statement of its own: what the next one sees must be from behind the lock. Its number is "roll" in ASCII. No request takes
            // it: whoever did would hold up what every tenant is told and billed by.
            if waits {
                _ = try await db.run("SELECT pg_advisory_xact_lock(1919904876, 0)")
            } else {
                let locked = try await db.run("SELECT pg_try_advisory_xact_lock(1919904876, 0) AS locked")
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

    /// One statement: all its parts see the tables as they were before it. So `marked` holds who was there already, and what an event
    /// adds to a count is what it adds to that.
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
        came AS (
            SELECT tenant_id, date_trunc('month', day)::date AS month, user_id, application_id, connection,
                bit_or(1 << (extract(day FROM day)::integer - 1)) AS days
            FROM taken
            -- The marks of an archived month are gone. Its users stay as they were until it is restored (`RestoredUsers`).
            WHERE date_trunc('month', day)::date NOT IN (SELECT usage_archive.month FROM usage_archive)
            GROUP BY 1, 2, 3, 4, 5),
        marking AS (
            INSERT INTO usage_month_user AS mark (tenant_id, month, user_id, application_id, connection, days)
            SELECT tenant_id, month, user_id, application_id, connection, days FROM came
            ON CONFLICT (tenant_id, month, user_id, application_id, connection)
                DO UPDATE SET days = mark.days | excluded.days WHERE mark.days | excluded.days <> mark.days),
        marked AS (
            SELECT tenant_id, month, user_id, application_id, connection, bit_or(days) AS days
            FROM (SELECT DISTINCT tenant_id, month, user_id FROM came) AS whose
                JOIN usage_month_user USING (tenant_id, month, user_id)
            GROUP BY tenant_id, month, user_id, CUBE (application_id, connection)),
        marks AS (
            SELECT tenant_id, month, user_id, application_id, connection, bit_or(days) AS days FROM came
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

    /// Up to when a tenant's numbers are complete: every login that occurred before is in them.
    package static func completeUntil(of tenant: ID<Tenant>, delay: TimeInterval, at now: Date) -> SQL {
        """
        SELECT LEAST(\(now.addingTimeInterval(-delay)), (SELECT min(occurred_at) FROM usage_arrival WHERE tenant_id = \(tenant)))
            AS complete_until
        """
    }
}
