package import Access
package import Foundation
package import Postgres

/// The ledger's events in a window, straight from COPY, a page at a time: by billing period, tenant, time and id.
///
/// No connection is held between pages, so that a reader that is slow, or stops, keeps nothing from anybody. That the pages fit together is
/// due to the window, which ends before anything that may still come, and to where a page begins: behind the last row of the one before.
package struct LedgerPages: Sendable {
    package enum Source: Sendable {
        case tenant(OwnerDatabase)
        case platform(PlatformDatabase)
    }

    /// Rows as `COPY … (FORMAT binary)` writes them.
    package struct Page: Sendable {
        package let bytes: [UInt8]
        let rows: Int
        /// Where the next one begins.
        package fileprivate(set) var next: Position
    }

    /// Behind which row a page begins.
    package struct Position: Sendable {
        var period: Month
        var tenant = UUID.platform
        var time: Date
        var id = UUID.platform
    }

    let source: Source
    let from, to: Date
    let now: Date
    /// In which events may be billed that lie in the window, in their order.
    private let months: [Month]
    var pageSize = 32_768

    package init(_ source: Source, from: Date, to: Date, in database: PlatformDatabase, at now: Date) async throws {
        (self.source, self.from, self.to, self.now) = (source, from, to, now)
        // An event is billed in its month or, when that is closed, in a later one: in development, even in one that has not begun. All that
        // have a part are looked at, and those whose events have come without one.
        months = try await database.run(
            """
            SELECT month FROM (
                SELECT month FROM usage_partitions() AS month UNION SELECT month FROM missing_usage_partitions('{}') AS month
            ) AS place WHERE month >= \(Month(from)) ORDER BY month
            """
        ).map { try $0.get("month") }
    }

    package var start: Position { Position(period: Month(from), time: from.addingTimeInterval(-1)) }

    /// - Returns: at least one row; nil when there are no more.
    package func page(after position: Position) async throws -> Page? {
        var position = position
        while let month = months.first(where: { $0 >= position.period }) {
            if month > position.period { position = Position(period: month, time: start.time) }
            var page = try await read(after: position)
            if page.rows < pageSize { page.next = Position(period: month.next, time: start.time) }
            if page.rows > 0 { return page }
            position = page.next
        }
        return nil
    }

    private func read(after position: Position) async throws -> Page {
        let settings: [SQL] = [
            """
            SELECT set_config('jit', 'off', true),
                -- By the key, row after row: all else would read and sort the whole month for each page.
                set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
                set_config('max_parallel_workers_per_gather', '0', true)
            """,
            UsagePartitions.hold(position.period),
        ]
        let copy = SQL(unsafe: "COPY (\(rows(after: position))) TO STDOUT (FORMAT binary)")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(pageSize, 32_768) * LedgerRow.size)
        switch source {
        case .tenant(let database):
            for try await rows in database.copyOut(copy, settings: settings, upTo: 1 << 16) { bytes += rows }
        case .platform(let database):
            for try await rows in database.copyOut(copy, settings: settings, upTo: 1 << 16) { bytes += rows }
        }
        let (rows, last) = try LedgerRow.summary(of: bytes)
        return Page(bytes: bytes, rows: rows, next: last ?? position)
    }

    /// The first month of those in which events of a window are billed that is no longer in the ledger.
    package static func archived(_ tenant: ID<Tenant>?, from: Date, to: Date) -> SQL {
        """
        SELECT month FROM usage_archive WHERE month >= \(Month(from)) AND (
            month::timestamp AT TIME ZONE 'UTC' < \(to)
            -- One that is later has what came late, if it was not brought back with its month.
            OR EXISTS (SELECT FROM usage_day WHERE billing_period = month AND (\(tenant) IS NULL OR tenant_id = \(tenant))
                AND day >= \(Day(from)) AND day::timestamp AT TIME ZONE 'UTC' < \(to)))
        ORDER BY month LIMIT 1
        """
    }

    /// About how many events there are, by the days in which they occurred: for a progress bar.
    package static func estimate(tenant: ID<Tenant>?, from: Date, to: Date) -> SQL {
        // The last day that has a part in it.
        let last = Day(to.addingTimeInterval(-0.000_001))
        return """
            SELECT (COALESCE((SELECT sum(events) FROM usage_day WHERE kind = 'login' AND day BETWEEN \(Day(from)) AND \(last)
                    AND (\(tenant) IS NULL OR tenant_id = \(tenant))), 0)
                + (SELECT count(*) FROM usage_arrival WHERE occurred_at >= \(from) AND occurred_at < \(to)
                    AND (\(tenant) IS NULL OR tenant_id = \(tenant))))::bigint AS rows
            """
    }
}
