package import Foundation
package import Postgres
package import Tenancy

/// One billable fact, appended to the ledger and never edited.
package struct UsageEvent {
    /// The statement that bills a login. It belongs in the transaction that creates the login's session, after it:
    /// neither is ever there without the other. Where no session was begun, nothing is billed.
    ///
    /// - Parameters:
    ///   - login: the login's id, which is the event's: recorded twice counts once.
    ///   - now: when the session was created.
    package static func insert(
        login: UUID, tenant: ID<Tenant>, application: ID<Application>, user: UUID, connection: Connection.Ownership, at now: Date
    ) -> SQL {
        """
        INSERT INTO usage_event (tenant_id, id, kind, application_id, user_id, connection, occurred_at)
        SELECT \(tenant), \(login), 'login', \(application), \(user), \(connection), \(now)
        WHERE EXISTS (SELECT FROM session WHERE tenant_id = \(tenant) AND id = \(login))
        ON CONFLICT (tenant_id, id) DO NOTHING
        """
    }

    /// Logins by UTC day in `[from, to)`, days without any left out.
    ///
    /// Of a purged tenant only the days' numbers are left: a day counts when it begins in the window.
    package static func loginsByDay(tenant: ID<Tenant>, from: Date, to: Date) -> SQL {
        """
        SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(logins)::bigint AS logins FROM (
            SELECT (occurred_at AT TIME ZONE 'UTC')::date AS day, count(*) AS logins FROM usage_event
            WHERE tenant_id = \(tenant) AND occurred_at >= \(from) AND occurred_at < \(to) AND kind = 'login'
            GROUP BY 1
            UNION ALL
            SELECT day, quantity FROM purged_usage
            WHERE tenant_id = \(tenant) AND kind = 'login'
                AND day::timestamp AT TIME ZONE 'UTC' >= \(from) AND day::timestamp AT TIME ZONE 'UTC' < \(to)
        ) AS counted
        GROUP BY counted.day ORDER BY counted.day
        """
    }
}
