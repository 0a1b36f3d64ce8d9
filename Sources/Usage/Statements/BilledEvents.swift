import Crypto
import Foundation
package import Postgres
package import Tenancy

/// What is billed to a tenant in a month, read event by event from the ledger: the truth that sums are held to.
package struct BilledEvents: Equatable, Sendable {
    /// How many there are, by the UTC day in which they occurred: of the month itself, and of earlier ones what came late.
    package private(set) var byDay: [Day: Int] = [:]
    package private(set) var count = 0
    /// SHA-256 over the events in the order of their times and ids, each a line as PostgreSQL's COPY writes it: time in UTC, id,
    /// application, user, kind and connection, with tabs between them. So whoever has the database and `sha256sum` finds the same.
    package private(set) var digest: [UInt8] = []

    /// In the order of the primary key: nothing is sorted, and other months' parts of the table are not looked at.
    static let query = """
        SELECT occurred_at, id, application_id, user_id, kind, connection FROM usage_event
        WHERE tenant_id = current_setting('espalier.tenant')::uuid AND billing_period = current_setting('espalier.period')::date
        ORDER BY occurred_at, id
        """

    static func settings(_ tenant: ID<Tenant>, _ month: Month) -> SQL {
        """
        SELECT set_config('espalier.tenant', \(tenant)::text, true), set_config('espalier.period', \(month.firstDay.description), true),
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
        let rows = pool.copyOut(SQL(unsafe: "COPY (\(query)) TO STDOUT"), prelude: [settings(tenant, month)])
        var events = BilledEvents()
        var hash = SHA256()
        var (day, ofDay): (ArraySlice<UInt8>, Int) = ([], 0)
        // Small pieces cost more than what is in them.
        var piece: [UInt8] = []
        piece.reserveCapacity(1 << 17)
        var next = ContinuousClock.now + interval
        for try await row in rows {
            let dayOfRow = row.prefix(10)
            if dayOfRow != day {
                try events.add(ofDay, on: day)
                (day, ofDay) = (dayOfRow, 0)
            }
            ofDay += 1
            piece += row
            guard piece.count >= 1 << 16 else { continue }
            hash.update(data: piece)
            piece.removeAll(keepingCapacity: true)
            if ContinuousClock.now >= next {
                try await isStillReading()
                next = .now + interval
            }
        }
        try events.add(ofDay, on: day)
        hash.update(data: piece)
        events.digest = Array(hash.finalize())
        return events
    }

    private mutating func add(_ events: Int, on text: ArraySlice<UInt8>) throws {
        guard events > 0 else { return }
        guard let day = Day(String(decoding: text, as: UTF8.self)) else { throw SQLMismatch() }
        byDay[day, default: 0] += events
        count += events
    }

    /// Those of a month.
    func of(_ month: Month) -> [Day: Int] {
        byDay.filter { $0.key.month == month }
    }
}
