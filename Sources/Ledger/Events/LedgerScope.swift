package import Access
import Foundation
package import Postgres

/// The events that are counted again, and the numbers that they are compared with.
package struct LedgerScope: Sendable {
    /// The most differences of one kind that are listed.
    static let most = 20

    private let tenant: ID<Tenant>
    /// The billing months whose events are compared by day.
    private let billed: [Month]
    /// The start and the end of their times. Nil for no bound.
    private let since, until: Date?
    private let firstDay, lastDay: Day?
    /// The days whose users are compared, and the months in which their logins are billed.
    private let userDays: ClosedRange<Day>
    private let billedOfUsers: [Month]
    private let isWholeMonth: Bool

    /// - Parameter months: the billing months of its logins that are in the ledger.
    package init(of tenant: ID<Tenant>, _ month: Month, days: ClosedRange<Day>?, billedIn months: [Month]) {
        (self.tenant, isWholeMonth) = (tenant, days == nil)
        userDays = days ?? month.firstDay...month.lastDay
        (billed, billedOfUsers) = (isWholeMonth ? [month] : months, months)
        (firstDay, lastDay) = (days?.lowerBound, days?.upperBound)
        (since, until) = (firstDay?.start, lastDay.map { ($0 + 1).start })
    }

    package var counts: SQL {
        """
        SELECT (SELECT count(*) FROM usage_event e WHERE \(part: isInScope))
            + (SELECT count(*) FROM (\(part: UsageEvent.waiting)) AS waiting WHERE \(part: isInScope)) AS events,
            (SELECT count(*) FROM usage_arrival WHERE \(part: isInScope)) AS waiting
        """
    }

    private var isInScope: SQL {
        """
        tenant_id = \(tenant) AND billing_period = ANY(\(billed)) AND occurred_at >= COALESCE(\(since), '-infinity')
            AND occurred_at < COALESCE(\(until), 'infinity')
        """
    }

    /// Waiting events that are in the ledger, too, but differ from it.
    package var unmatchedArrivals: SQL {
        """
        SELECT id FROM usage_arrival a
        WHERE tenant_id = \(tenant) AND (billing_period = ANY(\(billed)) OR NOT \(isWholeMonth))
            AND occurred_at >= COALESCE(\(since), '-infinity') AND occurred_at < COALESCE(\(until), 'infinity')
            AND EXISTS (
                SELECT FROM usage_event e WHERE e.tenant_id = a.tenant_id AND e.billing_period = a.billing_period
                    AND e.occurred_at = a.occurred_at AND e.id = a.id
                    AND (e.application_id, e.user_id, e.kind, e.connection) <> (a.application_id, a.user_id, a.kind, a.connection))
        ORDER BY id LIMIT \(Self.most)
        """
    }

    package var byDay: SQL {
        """
        WITH counted AS (
            SELECT day, billing_period, application_id, connection, kind, count(*) AS events FROM (
                SELECT (occurred_at AT TIME ZONE 'UTC')::date AS day, billing_period, application_id, connection, kind
                FROM usage_event e
                WHERE tenant_id = \(tenant) AND billing_period = ANY(\(billed))
                    AND occurred_at >= COALESCE(\(since), '-infinity') AND occurred_at < COALESCE(\(until), 'infinity')
                    AND NOT EXISTS (SELECT FROM usage_arrival a WHERE a.tenant_id = \(tenant) AND a.id = e.id)) AS event
            GROUP BY 1, 2, 3, 4, 5),
        aggregated AS (
            SELECT day, billing_period, application_id, connection, kind, events FROM usage_day
            WHERE tenant_id = \(tenant) AND billing_period = ANY(\(billed))
                AND day BETWEEN COALESCE(\(firstDay), '-infinity') AND COALESCE(\(lastDay), 'infinity'))
        SELECT concat_ws(' ', day, kind, connection, public_id('app', application_id)) AS what, COALESCE(counted.events, 0) AS events,
            COALESCE(aggregated.events, 0) AS aggregated
        FROM counted FULL JOIN aggregated USING (day, billing_period, application_id, connection, kind)
        WHERE counted.events IS DISTINCT FROM aggregated.events
        ORDER BY day, billing_period, kind, connection, application_id LIMIT \(Self.most)
        """
    }

    /// A user counts on the day and in the month of the login, regardless of its billing month. A silent sign-in is not a login.
    package var users: SQL {
        """
        WITH mark AS (
            SELECT user_id, application_id, connection,
                bit_or(1 << (extract(day FROM occurred_at AT TIME ZONE 'UTC')::integer - 1)) AS days
            FROM usage_event e
            WHERE tenant_id = \(tenant) AND billing_period = ANY(\(billedOfUsers)) AND kind = 'login'
                AND occurred_at >= \(userDays.lowerBound.start) AND occurred_at < \((userDays.upperBound + 1).start)
                AND NOT EXISTS (SELECT FROM usage_arrival a WHERE a.tenant_id = \(tenant) AND a.id = e.id)
            GROUP BY 1, 2, 3),
        marks AS (
            SELECT COALESCE(application_id, \(UUID.platform)) AS application_id, COALESCE(connection, '') AS connection,
                bit_or(days) AS days
            FROM mark GROUP BY user_id, CUBE (application_id, connection)),
        counted AS (
            SELECT 'month' AS grain, \(userDays.lowerBound.month) AS starts_on, application_id, connection, count(*) AS users FROM marks
            WHERE \(isWholeMonth) GROUP BY 3, 4
            UNION ALL
            SELECT 'day', \(userDays.lowerBound.month) + bit, application_id, connection, sum(users)::bigint
            FROM (SELECT application_id, connection, days, count(*) AS users FROM marks GROUP BY 1, 2, 3) AS alike
                CROSS JOIN generate_series(0, 30) AS bit
            WHERE days & (1 << bit) <> 0 GROUP BY 2, 3, 4),
        aggregated AS (
            SELECT grain, starts_on, application_id, connection, users FROM usage_users
            WHERE tenant_id = \(tenant) AND starts_on BETWEEN \(userDays.lowerBound) AND \(userDays.upperBound)
                AND (grain = 'day' OR \(isWholeMonth)))
        SELECT concat_ws(' ', grain, starts_on, NULLIF(connection, ''),
                public_id('app', NULLIF(application_id, \(UUID.platform)))) AS what,
            COALESCE(counted.users, 0) AS users, COALESCE(aggregated.users, 0) AS aggregated
        FROM counted FULL JOIN aggregated USING (grain, starts_on, application_id, connection)
        WHERE counted.users IS DISTINCT FROM aggregated.users ORDER BY grain, starts_on, application_id, connection LIMIT \(Self.most)
        """
    }

    /// Selects every tenant and month with events or sums.
    package static let months: SQL = """
        SELECT tenant_id, billing_period AS month FROM usage_day
        UNION SELECT tenant_id, billing_period FROM usage_event
        UNION SELECT tenant_id, billing_period FROM usage_arrival
        UNION SELECT tenant_id, date_trunc('month', starts_on)::date FROM usage_users
        """

    /// Whether the events of a month were archived, as a condition.
    package static func isArchived(_ month: Month) -> SQL {
        "EXISTS (SELECT FROM usage_archive WHERE month = \(month))"
    }

    /// The later months in which logins of these days are billed, and whether their events were archived.
    package static func laterMonths(of tenant: ID<Tenant>, after month: Month, _ days: ClosedRange<Day>) -> SQL {
        """
        SELECT billed.month, EXISTS (SELECT FROM usage_archive WHERE usage_archive.month = billed.month) AS taken_out
        FROM (
            SELECT billing_period AS month FROM usage_day
            WHERE tenant_id = \(tenant) AND day BETWEEN \(days.lowerBound) AND \(days.upperBound)
            UNION SELECT billing_period FROM usage_arrival
            WHERE tenant_id = \(tenant) AND occurred_at >= \(days.lowerBound.start)
                AND occurred_at < \((days.upperBound + 1).start)
        ) AS billed WHERE billed.month > \(month) ORDER BY billed.month
        """
    }
}
