package import Access
import Crypto
import Foundation
package import Postgres

/// What is billed to a tenant in a month, read event by event from the ledger: the truth that sums are held to.
package struct BilledEvents: Equatable, Sendable {
    /// How many there are, by the UTC day in which they occurred: of the month itself, and of earlier ones what came late.
    package let byDay: [Day: Int]
    package let count: Int
    /// SHA-256 over the events in the order of their times and ids, each a line as PostgreSQL's COPY writes it: time in UTC, id,
    /// application, user, kind and connection, with tabs between them. So whoever has the database and `sha256sum` finds the same.
    package let digest: [UInt8]

    /// In the order of the primary key: nothing is sorted. Tenant and month are written into the text, so that other months' parts of the
    /// table are neither looked at nor locked: who makes a part does not wait for a long reading.
    static func query(of tenant: ID<Tenant>, in month: Month) -> String {
        """
        SELECT occurred_at, id, application_id, user_id, kind, connection FROM usage_event
        WHERE tenant_id = '\(tenant.uuid.uuidString)' AND billing_period = date '\(month.firstDay)' ORDER BY occurred_at, id
        """
    }

    static func settings(_ tenant: ID<Tenant>) -> SQL {
        """
        SELECT set_config('espalier.tenant', \(tenant)::text, true),
            set_config('timezone', 'UTC', true), set_config('datestyle', 'ISO', true),
            -- As long as ten million of them take, and then some.
            set_config('statement_timeout', '3600000', true)
        """
    }

    /// Reads them in one snapshot and with little memory, however many they are.
    ///
    /// - Parameters:
    ///   - interval: how often `isStillReading` is called, at the least.
    package static func read(
        of tenant: ID<Tenant>, in month: Month, from pool: DatabasePool, every interval: Duration = .seconds(60),
        _ isStillReading: () async throws -> Void = {}
    ) async throws -> BilledEvents {
        let copy = SQL(unsafe: "COPY (\(query(of: tenant, in: month))) TO STDOUT")
        var (days, hash) = (LinesByDay(), SHA256())
        var next = ContinuousClock.now + interval
        for try await lines in pool.copyOut(copy, prelude: [settings(tenant), UsagePartitions.hold(month)], upTo: 1 << 16) {
            hash.update(data: lines)
            try days.add(lines)
            if ContinuousClock.now >= next {
                try await isStillReading()
                next = .now + interval
            }
        }
        return BilledEvents(try days.finish(), digest: Array(hash.finalize()))
    }

    /// Of a tenant that was purged when months did not close yet (before migration 0013) nothing is left but how many logins it had on
    /// which day. They are billed by that; the digest is that of no events.
    package static func counted(of tenant: ID<Tenant>, in month: Month, in database: PlatformDatabase) async throws -> BilledEvents {
        let days = try await database.run(
            """
            SELECT day, sum(events)::bigint AS events FROM usage_day
            WHERE tenant_id = \(tenant) AND kind = \(UsageEvent.Kind.login) AND billing_period = \(month) GROUP BY day
            """
        ).map { (try $0.get("day", as: Day.self), try $0.get("events", as: Int.self)) }
        return BilledEvents(Dictionary(uniqueKeysWithValues: days), digest: Array(SHA256().finalize()))
    }

    // MARK: Before the month is closed

    /// The same numbers, of what was added up and what waits for it, in milliseconds: without a digest, and no truth but a sum.
    package static func addedUp(of tenant: ID<Tenant>, in month: Month) -> SQL {
        """
        SELECT day, sum(events)::bigint AS events FROM (
            SELECT day, events FROM usage_day
            WHERE tenant_id = \(tenant) AND billing_period = \(month) AND kind = \(UsageEvent.Kind.login)
            UNION ALL
            SELECT (occurred_at AT TIME ZONE 'UTC')::date, 1 FROM usage_arrival
            WHERE tenant_id = \(tenant) AND billing_period = \(month) AND kind = \(UsageEvent.Kind.login)
        ) AS counted GROUP BY day
        """
    }

    /// From numbers of logins that were read elsewhere.
    package init(addedUp byDay: [Day: Int]) {
        self.init(byDay, digest: [])
    }

    /// From what `addedUp` gave.
    package init(addedUp rows: Rows) throws {
        let days = try rows.map { (try $0.get("day", as: Day.self), try $0.get("events", as: Int.self)) }
        self.init(Dictionary(uniqueKeysWithValues: days), digest: [])
    }

    // MARK: How they are counted

    private init(_ byDay: [Day: Int], digest: [UInt8]) {
        (self.byDay, count, self.digest) = (byDay, byDay.values.reduce(0, +), digest)
    }

    /// Those of a month.
    package func of(_ month: Month) -> [Day: Int] {
        byDay.filter { $0.key.month == month }
    }
}

/// Counts lines by the day with which each begins.
struct LinesByDay {
    private var counts: [Day: Int] = [:]
    /// That of the line before, as it is written there, and how many had it: lines of a day stand together.
    private var (day, ofDay) = ([UInt8](repeating: 0, count: 10), 0)

    /// - Parameter lines: whole ones.
    /// - Throws: `SQLMismatch` for what does not begin with a day or does not end.
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
                ofDay += 1
                rest = rest.dropFirst(UnsafeRawPointer(end) - line.baseAddress! + 1)
            }
        }
    }

    private mutating func finishDay() throws {
        guard ofDay > 0 else { return }
        guard let day = Day(String(decoding: day, as: UTF8.self)) else { throw SQLMismatch() }
        counts[day, default: 0] += ofDay
        ofDay = 0
    }

    mutating func finish() throws -> [Day: Int] {
        try finishDay()
        return counts
    }
}
