package import Access
import Crypto
package import Foundation
package import Postgres

/// The events that are billed to a tenant in a month, read one by one from the ledger. All sums are checked against them.
package struct BilledEvents: Equatable, Sendable {
    /// The number of logins by UTC day, including late ones of earlier months.
    package let byDay: [Day: Int]
    /// The number of silent sign-ins by UTC day, in the same way.
    package let silentByDay: [Day: Int]
    /// The number of all events.
    package let count: Int
    /// SHA-256 over the events, ordered by time and ID. Each event is a line of PostgreSQL's COPY: time in UTC, ID, application, user, kind
    /// and connection, separated by tabs. So the digest can be checked with the database and `sha256sum`.
    package let digest: [UInt8]

    /// Reads in the order of the primary key, so no sort is needed. The text contains tenant and month as literals, so that other
    /// partitions are neither read nor locked. Otherwise the creation of a partition would wait for a long read.
    static func query(of tenant: ID<Tenant>, in month: Month) -> String {
        """
        SELECT occurred_at, id, application_id, user_id, kind, connection FROM usage_event
        WHERE tenant_id = '\(tenant.uuid.uuidString)' AND billing_period = date '\(month.firstDay)' ORDER BY occurred_at, id
        """
    }

    static let settings: SQL = """
        SELECT set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true),
            -- More than ten million events take.
            set_config('statement_timeout', '3600000', true)
        """

    /// Reads the events in one snapshot, with little memory for any number.
    ///
    /// - Parameters:
    /// - interval: the longest time between two calls of `isStillReading`.
    package static func read(
        of tenant: ID<Tenant>, in month: Month, from database: PlatformDatabase, every interval: Duration = .seconds(60),
        _ isStillReading: () async throws -> Void = {}
    ) async throws -> BilledEvents {
        let copy = SQL(unsafe: "COPY (\(query(of: tenant, in: month))) TO STDOUT")
        var (days, hash) = (LinesByDay(), SHA256())
        var next = ContinuousClock.now + interval
        for try await lines in database.restricted(to: tenant).copyOut(
            copy, settings: [settings, UsagePartitions.hold(month)], atLeast: 1 << 16)
        {
            hash.update(data: lines)
            try days.add(lines)
            if ContinuousClock.now >= next {
                try await isStillReading()
                next = .now + interval
            }
        }
        let (logins, silent) = try days.finish()
        return BilledEvents(logins, silent: silent, digest: Array(hash.finalize()))
    }

    /// Before migration 0013, months did not close, and a tenant purged then has only its number of logins per day. These numbers are
    /// billed. The digest is the digest of no events. Silent sign-ins came later.
    package static func counted(of tenant: ID<Tenant>, in month: Month, in database: PlatformDatabase) async throws -> BilledEvents {
        let days = try await database.run(
            """
            SELECT day, sum(events)::bigint AS events FROM usage_day
            WHERE tenant_id = \(tenant) AND kind = \(UsageEvent.Kind.login) AND billing_period = \(month) GROUP BY day
            """
        ).map { (try $0.get("day", as: Day.self), try $0.get("events", as: Int.self)) }
        return BilledEvents(Dictionary(uniqueKeysWithValues: days), silent: [:], digest: Array(SHA256().finalize()))
    }

    /// Selects each tenant's events that are billed in a month, by day and kind.
    package static func byDay(of tenants: [UUID], in month: Month) -> SQL {
        """
        SELECT tenant_id, day, kind, sum(events)::bigint AS events FROM (
            SELECT tenant_id, day, kind, events FROM usage_day
            WHERE tenant_id = ANY(\(tenants)) AND billing_period = \(month)
            UNION ALL
            SELECT tenant_id, (occurred_at AT TIME ZONE 'UTC')::date, kind, 1 FROM usage_arrival
            WHERE tenant_id = ANY(\(tenants)) AND billing_period = \(month)
        ) AS counted GROUP BY tenant_id, day, kind
        """
    }

    /// The number of events of a month that were billed before another month, by day and kind. It uses the daily numbers, because the events
    /// may be archived.
    package static func billed(of month: Month, before period: Month, _ tenant: ID<Tenant>) -> SQL {
        """
        SELECT day, kind, sum(events)::bigint AS events FROM (
            SELECT day, kind, events FROM usage_day
            WHERE tenant_id = \(tenant) AND day BETWEEN \(month.firstDay) AND \(month.lastDay) AND billing_period < \(period)
            UNION ALL
            SELECT (occurred_at AT TIME ZONE 'UTC')::date, kind, 1 FROM usage_arrival
            WHERE tenant_id = \(tenant) AND occurred_at >= \(month.start) AND occurred_at < \(month.end)
                AND billing_period < \(period)
        ) AS counted GROUP BY day, kind
        """
    }

    /// Selects each tenant's logins of a month.
    package static func logins(of tenants: [ID<Tenant>], in month: Month) -> SQL {
        """
        SELECT tenant_id, sum(events)::bigint AS logins FROM usage_day
        WHERE tenant_id = ANY(\(tenants)) AND day >= \(month.firstDay) AND day <= \(month.lastDay) AND kind = \(UsageEvent.Kind.login)
        GROUP BY tenant_id
        """
    }

    // MARK: Before the month is closed

    /// The same numbers from the aggregated and the waiting events, within milliseconds. It has no digest and is not a proof.
    package static func summed(of tenant: ID<Tenant>, in month: Month) -> SQL {
        """
        SELECT day, kind, sum(events)::bigint AS events FROM (
            SELECT day, kind, events FROM usage_day
            WHERE tenant_id = \(tenant) AND billing_period = \(month)
            UNION ALL
            SELECT (occurred_at AT TIME ZONE 'UTC')::date, kind, 1 FROM usage_arrival
            WHERE tenant_id = \(tenant) AND billing_period = \(month)
        ) AS counted GROUP BY day, kind
        """
    }

    /// Reads the result of `summed`, of `billed`, or of one tenant in `byDay`.
    package init(summed rows: some Sequence<Row>) throws {
        var (logins, silent): ([Day: Int], [Day: Int]) = ([:], [:])
        for row in rows {
            let (day, events) = (try row.get("day", as: Day.self), try row.get("events", as: Int.self))
            switch try row.get("kind", as: UsageEvent.Kind.self) {
            case .login: logins[day] = events
            case .silentLogin: silent[day] = events
            }
        }
        self.init(logins, silent: silent, digest: [])
    }

    // MARK: Counting

    private init(_ byDay: [Day: Int], silent: [Day: Int], digest: [UInt8]) {
        (self.byDay, silentByDay, self.digest) = (byDay, silent, digest)
        count = byDay.values.reduce(0, +) + silent.values.reduce(0, +)
    }

    /// The months in which the events occurred.
    package var months: Set<Month> { Set(byDay.keys.map(\.month)).union(silentByDay.keys.map(\.month)) }

    /// The numbers of a month.
    package func of(_ month: Month) -> [Day: Int] {
        byDay.filter { $0.key.month == month }
    }

    /// The numbers of silent sign-ins of a month.
    package func silent(of month: Month) -> [Day: Int] {
        silentByDay.filter { $0.key.month == month }
    }
}

/// Counts the lines of `BilledEvents.query` by the day at their start, and by kind.
struct LinesByDay {
    private var (logins, silent): ([Day: Int], [Day: Int]) = ([:], [:])
    /// The day of the previous line in its text form, and the numbers of its lines. Lines of a day are consecutive.
    private var (day, loginsOfDay, silentOfDay) = ([UInt8](repeating: 0, count: 10), 0, 0)

    /// The length of the three UUIDs between the time and the kind, each with a tab.
    private static let ids = 3 * 37
    private static let (login, silentLogin) = (Array("login\t".utf8), Array("silent_login\t".utf8))

    /// Counts more lines.
    /// - Parameter lines: complete lines.
    /// - Throws: `SQLMismatch` for a line that does not start with a day, is incomplete, or has an unknown kind.
    mutating func add(_ lines: [UInt8]) throws {
        try lines.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let line = UnsafeRawBufferPointer(rebasing: rest)
                guard line.count > day.count, let end = memchr(line.baseAddress!, Int32(UInt8(ascii: "\n")), line.count)
                else { throw SQLMismatch() }
                if memcmp(day, line.baseAddress!, day.count) != 0 {
                    try finishDay()
                    day = Array(line.prefix(day.count))
                }
                let length = UnsafeRawPointer(end) - line.baseAddress!
                switch try Self.kind(of: UnsafeRawBufferPointer(rebasing: line.prefix(length))) {
                case .login: loginsOfDay += 1
                case .silentLogin: silentOfDay += 1
                }
                rest = rest.dropFirst(length + 1)
            }
        }
    }

    private static func kind(of line: UnsafeRawBufferPointer) throws -> UsageEvent.Kind {
        guard let tab = memchr(line.baseAddress!, Int32(UInt8(ascii: "\t")), line.count) else { throw SQLMismatch() }
        let start = UnsafeRawPointer(tab) - line.baseAddress! + 1 + ids
        func hasKind(_ name: [UInt8]) -> Bool {
            line.count - start >= name.count && memcmp(line.baseAddress! + start, name, name.count) == 0
        }
        if hasKind(login) { return .login }
        guard hasKind(silentLogin) else { throw SQLMismatch() }
        return .silentLogin
    }

    private mutating func finishDay() throws {
        guard loginsOfDay + silentOfDay > 0 else { return }
        guard let day = Day(String(decoding: day, as: UTF8.self)) else { throw SQLMismatch() }
        if loginsOfDay > 0 { logins[day, default: 0] += loginsOfDay }
        if silentOfDay > 0 { silent[day, default: 0] += silentOfDay }
        (loginsOfDay, silentOfDay) = (0, 0)
    }

    mutating func finish() throws -> (logins: [Day: Int], silent: [Day: Int]) {
        try finishDay()
        return (logins, silent)
    }
}
