import Access
import Encoding
import Foundation
import Postgres
import Tenancy
import Web

/// The filter and the groups of a usage query.
struct UsageFilter {
    enum Group: String, CaseIterable {
        case application, connection, kind
    }

    let groups: Set<Group>
    let application: ID<Application>?
    let connection: Connection.Ownership?
    let kind: String?

    init(_ query: Query) throws {
        var groups: Set<Group> = []
        for name in try query.text("group_by")?.parts(at: ",", includingEmpty: true) ?? [] {
            guard let group = Group(rawValue: String(name)), groups.insert(group).inserted else {
                let all = Group.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", ")
                throw Problem.invalid(.init("group_by", "It must be a comma-separated list of \(all), each at most once."))
            }
        }
        self.groups = groups
        let application = try query.text("application_id")
        self.application = application.flatMap { ID($0) }
        guard application == nil || self.application != nil
        else { throw Problem.invalid(.init("application_id", "It must be the ID of an application.")) }
        connection = try query.choice("connection")
        kind = try query.choice("kind", UsageEvent.Kind.self)?.rawValue
    }

    /// Whether users are counted per application and not in total.
    var isByApplication: Bool { application != nil || groups.contains(.application) }
    var isByConnection: Bool { connection != nil || groups.contains(.connection) }
}

/// The number of logins, silent sign-ins and distinct users of logins in one window.
struct UsageCount: Encodable {
    let from, to: Date
    let application_id: ID<Application>?
    let connection: Connection.Ownership?
    let kind: String?
    let logins: Int
    let silent_logins: Int
    let users: Int

    /// Reads a row with `start`, the group columns, `logins` and `silent_logins`.
    init(_ row: Row, users: Int, by grain: Grain, _ filter: UsageFilter) throws {
        from = try row.get("start")
        to = grain.next(after: from)
        application_id = try row.get("application_id")
        connection = try row.get("connection")
        kind = try row.get("kind")
        logins = try row.get("logins")
        silent_logins = try row.get("silent_logins")
        self.users = logins > 0 ? users : 0
    }

    private struct Key: Hashable {
        let start: Date
        let application: ID<Application>?
        let connection: Connection.Ownership?
    }

    static func all(_ rows: Rows, users: Rows, by grain: Grain, _ filter: UsageFilter) throws -> [UsageCount] {
        var usersByKey: [Key: Int] = [:]
        for row in users {
            let key = Key(
                start: try row.get("starts_on", as: Day.self).start,
                application: filter.groups.contains(.application) ? try row.get("application_id") : nil,
                connection: filter.groups.contains(.connection) ? try row.get("connection") : nil)
            usersByKey[key] = try row.get("users")
        }
        return try rows.map { row in
            let key = Key(
                start: try row.get("start"), application: try row.get("application_id"), connection: try row.get("connection"))
            return try UsageCount(row, users: usersByKey[key] ?? 0, by: grain, filter)
        }
    }
}

// MARK: Queries

extension UsageCount {
    /// The logins and silent sign-ins per day of any window. For days that are only partly in the window, it counts the ledger's events. If these events are
    /// archived, the whole day counts if it starts in the window.
    static func days(_ tenant: ID<Tenant>, _ window: Window) -> SQL {
        let (whole, partial) = (window.wholeDays, window.partialDays)
        // The time before the first whole day, and the time after the last one.
        let head = window.from..<min(window.to, whole.lowerBound.start)
        let tailStart = max(head.upperBound, whole.upperBound.start)
        let tail = tailStart..<max(tailStart, window.to)
        return """
            WITH month AS (
                SELECT billing_period FROM usage_day WHERE tenant_id = \(tenant) AND day = ANY(\(partial))
                UNION SELECT billing_period FROM usage_arrival
                WHERE tenant_id = \(tenant) AND (occurred_at AT TIME ZONE 'UTC')::date = ANY(\(partial))),
            counted AS (
                SELECT day, kind, events FROM usage_day
                WHERE tenant_id = \(tenant) AND day >= \(whole.lowerBound) AND day < \(whole.upperBound)
                UNION ALL
                SELECT (occurred_at AT TIME ZONE 'UTC')::date, kind, 1 FROM usage_arrival
                WHERE tenant_id = \(tenant) AND occurred_at >= \(whole.lowerBound.start) AND occurred_at < \(whole.upperBound.start)
                UNION ALL
                SELECT \(Day(head.lowerBound)), kind, count(*) FROM usage_event
                WHERE tenant_id = \(tenant) AND billing_period = ANY(ARRAY(SELECT billing_period FROM month))
                    AND occurred_at >= \(head.lowerBound) AND occurred_at < \(head.upperBound) GROUP BY kind
                UNION ALL
                SELECT \(Day(tail.lowerBound)), kind, count(*) FROM usage_event
                WHERE tenant_id = \(tenant) AND billing_period = ANY(ARRAY(SELECT billing_period FROM month))
                    AND occurred_at >= \(tail.lowerBound) AND occurred_at < \(tail.upperBound) GROUP BY kind
                UNION ALL
                SELECT (occurred_at AT TIME ZONE 'UTC')::date, kind, 1 FROM (\(part: UsageEvent.waiting)) AS waiting
                WHERE tenant_id = \(tenant) AND (occurred_at >= \(head.lowerBound) AND occurred_at < \(head.upperBound)
                    OR occurred_at >= \(tail.lowerBound) AND occurred_at < \(tail.upperBound))
                UNION ALL
                SELECT day, kind, events FROM usage_day
                WHERE tenant_id = \(tenant) AND day = ANY(\(partial.filter { $0.start >= window.from })) AND (
                    SELECT true FROM usage_event WHERE tenant_id = \(tenant) AND billing_period = usage_day.billing_period
                        AND occurred_at >= usage_day.day::timestamp AT TIME ZONE 'UTC'
                        AND occurred_at < (usage_day.day + 1)::timestamp AT TIME ZONE 'UTC' LIMIT 1) IS NULL)
            SELECT day, \(literally: sums) FROM counted WHERE events > 0 GROUP BY day ORDER BY day
            """
    }

    /// The number of events of each kind.
    private static let sums: StaticString = """
        COALESCE(sum(events) FILTER (WHERE kind = 'login'), 0)::bigint AS logins, \
        COALESCE(sum(events) FILTER (WHERE kind = 'silent_login'), 0)::bigint AS silent_logins
        """

    /// The logins and silent sign-ins per day or month. All days or months are entirely in the window.
    static func aggregated(_ tenant: ID<Tenant>, _ window: Window, by grain: Grain, _ filter: UsageFilter) -> SQL {
        """
        SELECT date_trunc(\(grain.rawValue), day::timestamp) AT TIME ZONE 'UTC' AS start,
            CASE WHEN \(filter.groups.contains(.application)) THEN application_id END AS application_id,
            CASE WHEN \(filter.groups.contains(.connection)) THEN connection END AS connection,
            CASE WHEN \(filter.groups.contains(.kind)) THEN kind END AS kind, \(literally: sums)
        FROM (
            SELECT day, application_id, connection, kind, events FROM usage_day
            WHERE tenant_id = \(tenant) AND day >= \(Day(window.from)) AND day < \(Day(window.to))
            UNION ALL
            SELECT (occurred_at AT TIME ZONE 'UTC')::date, application_id, connection, kind, 1 FROM usage_arrival
            WHERE tenant_id = \(tenant) AND occurred_at >= \(window.from) AND occurred_at < \(window.to)
        ) AS counted
        WHERE application_id = COALESCE(\(filter.application), application_id) AND connection = COALESCE(\(filter.connection), connection)
            AND kind = COALESCE(\(filter.kind), kind)
        GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        """
    }

    /// The number of users in each of these days or months.
    static func users(_ tenant: ID<Tenant>, _ window: Window, by grain: Grain, _ filter: UsageFilter) -> SQL {
        """
        SELECT starts_on, application_id, connection, users FROM usage_users
        WHERE tenant_id = \(tenant) AND grain = \(grain.rawValue) AND starts_on >= \(Day(window.from)) AND starts_on < \(Day(window.to))
            AND (application_id <> \(UUID.platform)) = \(filter.isByApplication) AND (connection <> '') = \(filter.isByConnection)
            AND application_id = COALESCE(\(filter.application), application_id)
            AND connection = COALESCE(\(filter.connection), connection)
        """
    }

    /// The number of users in a window that is one day or one month.
    static func users(_ tenant: ID<Tenant>, _ window: Window) -> SQL {
        """
        SELECT users FROM usage_users WHERE tenant_id = \(tenant) AND grain = \((window.unit ?? .day).rawValue)
            AND starts_on = \(Day(window.from)) AND application_id = \(UUID.platform) AND connection = ''
        """
    }

    /// The logins and silent sign-ins per minute or hour, which are not aggregated. `usage_day` names the months whose partitions contain the events of these
    /// days.
    static func fromLedger(_ tenant: ID<Tenant>, _ window: Window, by grain: Grain, _ filter: UsageFilter) -> SQL {
        """
        SELECT date_trunc(\(grain.rawValue), occurred_at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC' AS start,
            CASE WHEN \(filter.groups.contains(.application)) THEN application_id END AS application_id,
            CASE WHEN \(filter.groups.contains(.connection)) THEN connection END AS connection,
            CASE WHEN \(filter.groups.contains(.kind)) THEN kind END AS kind,
            count(*) FILTER (WHERE kind = 'login') AS logins, count(*) FILTER (WHERE kind = 'silent_login') AS silent_logins,
            count(DISTINCT user_id) FILTER (WHERE kind = 'login') AS users
        FROM (
            SELECT occurred_at, application_id, connection, kind, user_id FROM usage_event
            WHERE tenant_id = \(tenant) AND billing_period = ANY(ARRAY(
                    SELECT billing_period FROM usage_day
                    WHERE tenant_id = \(tenant) AND day >= \(Day(window.from)) AND day::timestamp AT TIME ZONE 'UTC' < \(window.to)
                    UNION SELECT billing_period FROM usage_arrival
                    WHERE tenant_id = \(tenant) AND occurred_at >= \(window.from) AND occurred_at < \(window.to)))
                AND occurred_at >= \(window.from) AND occurred_at < \(window.to)
            UNION ALL
            SELECT occurred_at, application_id, connection, kind, user_id FROM (\(part: UsageEvent.waiting)) AS waiting
            WHERE tenant_id = \(tenant) AND occurred_at >= \(window.from) AND occurred_at < \(window.to)
        ) AS event
        WHERE application_id = COALESCE(\(filter.application), application_id)
            AND connection = COALESCE(\(filter.connection), connection) AND kind = COALESCE(\(filter.kind), kind)
        GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
        """
    }

    /// A counted day in the window whose events are no longer in the ledger.
    static func archivedDay(_ tenant: ID<Tenant>, _ window: Window) -> SQL {
        """
        SELECT day FROM usage_day
        WHERE tenant_id = \(tenant) AND day >= \(Day(window.from)) AND day::timestamp AT TIME ZONE 'UTC' < \(window.to) AND (
            -- Not EXISTS, because the planner could turn it into a join that reads all events.
            SELECT true FROM usage_event WHERE tenant_id = \(tenant) AND billing_period = usage_day.billing_period
                AND occurred_at >= usage_day.day::timestamp AT TIME ZONE 'UTC'
                AND occurred_at < (usage_day.day + 1)::timestamp AT TIME ZONE 'UTC' LIMIT 1) IS NULL
        ORDER BY day LIMIT 1
        """
    }
}
