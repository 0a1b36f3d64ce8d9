import Access
import Foundation
import Postgres

/// Counts the users of a restored month again, from its events.
///
/// An archived month has no marks (`usage_month_user`). A late login of it cannot be compared with its users, and `RollUp` does not change
/// their number. After the restoration, the marks and the numbers come from the ledger, with every late login that was billed since.
enum RestoredUsers {
    /// Runs in the transaction that restores the events, after their insertion.
    /// - Parameter restored: the billing month of the events. They occurred in it, or late ones in earlier months.
    static func count(of restored: Month, in db: Transaction) async throws {
        // `RollUp` waits until this transaction ends. It counts the logins that wait for aggregation, and this does not.
        _ = try await db.run("SELECT pg_advisory_xact_lock(1919904876, 0)")
        let months = try await db.run(
            """
            SELECT date_trunc('month', occurred_at AT TIME ZONE 'UTC')::date AS month, array_agg(DISTINCT tenant_id) AS tenants
            FROM usage_event WHERE billing_period = \(restored)
            GROUP BY 1 HAVING date_trunc('month', min(occurred_at) AT TIME ZONE 'UTC')::date NOT IN (SELECT month FROM usage_archive)
            """
        ).map { (month: try $0.get("month", as: Month.self), tenants: try $0.get("tenants", as: [UUID].self)) }
        for (month, tenants) in months { _ = try await db.run(marks(of: month, tenants) + numbers(of: month, tenants)) }
    }

    /// The days on which each user signed in, regardless of the billing month.
    private static func marks(of month: Month, _ tenants: [UUID]) -> [SQL] {
        [
            "DELETE FROM usage_month_user WHERE tenant_id = ANY(\(tenants)) AND month = \(month)",
            """
            INSERT INTO usage_month_user (tenant_id, month, user_id, application_id, connection, days)
            SELECT e.tenant_id, \(month), e.user_id, e.application_id, e.connection,
                bit_or(1 << (extract(day FROM e.occurred_at AT TIME ZONE 'UTC')::integer - 1))
            FROM usage_event e
            WHERE e.tenant_id = ANY(\(tenants)) AND e.kind = 'login'
                AND e.occurred_at >= \(month.start) AND e.occurred_at < \(month.end)
                AND e.billing_period IN (SELECT billing_period FROM usage_day
                    WHERE tenant_id = ANY(\(tenants)) AND day BETWEEN \(month.firstDay) AND \(month.lastDay))
                AND NOT EXISTS (SELECT FROM usage_arrival a WHERE a.tenant_id = e.tenant_id AND a.id = e.id)
            GROUP BY 1, 3, 4, 5
            """,
        ]
    }

    /// The number of users by day and month. Excluded are tenants with late logins in another archived month, because those users are not
    /// in the ledger.
    private static func numbers(of month: Month, _ tenants: [UUID]) -> [SQL] {
        [
            """
            DELETE FROM usage_users WHERE tenant_id = ANY(\(tenants)) AND starts_on BETWEEN \(month.firstDay) AND \(month.lastDay)
                AND tenant_id NOT IN (SELECT tenant_id FROM usage_day
                    WHERE tenant_id = ANY(\(tenants)) AND day BETWEEN \(month.firstDay) AND \(month.lastDay)
                        AND billing_period IN (SELECT usage_archive.month FROM usage_archive))
            """,
            """
            WITH marks AS (
                SELECT tenant_id, user_id, COALESCE(application_id, \(UUID.platform)) AS application_id,
                    COALESCE(connection, '') AS connection, bit_or(days) AS days
                FROM usage_month_user WHERE tenant_id = ANY(\(tenants)) AND month = \(month)
                    AND tenant_id NOT IN (SELECT tenant_id FROM usage_day
                        WHERE tenant_id = ANY(\(tenants)) AND day BETWEEN \(month.firstDay) AND \(month.lastDay)
                            AND billing_period IN (SELECT usage_archive.month FROM usage_archive))
                GROUP BY tenant_id, user_id, CUBE (application_id, connection))
            INSERT INTO usage_users (tenant_id, grain, starts_on, application_id, connection, users)
            SELECT tenant_id, 'month', \(month), application_id, connection, count(*) FROM marks GROUP BY 1, 4, 5
            UNION ALL
            SELECT tenant_id, 'day', \(month) + bit, application_id, connection, count(*)
            FROM marks CROSS JOIN generate_series(0, 30) AS bit WHERE days & (1 << bit) <> 0 GROUP BY 1, 3, 4, 5
            """,
        ]
    }
}
