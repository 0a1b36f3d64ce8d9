package import Access
package import Foundation
package import Postgres

/// Reads the ledger's events in a window with COPY, one page at a time, ordered by billing period, tenant, time and ID.
///
/// It holds no database connection between pages, so a slow or stopped reader blocks nobody. The pages fit together for two reasons: the
/// window ends before any event that can still arrive, and each page starts after the last row of the page before it.
package struct LedgerPages: Sendable {
    package enum Source: StatementRunner {
        case tenant(OwnerDatabase)
        case platform(PlatformDatabase)

        package func run(_ statements: [SQL]) async throws -> [Rows] {
            switch self {
            case .tenant(let database): try await database.run(statements)
            case .platform(let database): try await database.run(statements)
            }
        }
    }

    /// Rows in the form of `COPY … (FORMAT binary)`.
    package struct Page: Sendable {
        package let bytes: [UInt8]
        let rows: Int
        /// The start of the next page.
        package fileprivate(set) var next: Position
    }

    /// The row after which a page starts.
    package struct Position: Sendable {
        var period: Month
        var tenant = UUID.platform
        var time: Date
        var id = UUID.platform
    }

    let source: Source
    let from, to: Date
    let now: Date
    /// The months in which the window's events may be billed, in their order.
    private let months: [Month]
    /// A page takes PostgreSQL a few milliseconds, so that logins wait only shortly.
    var pageSize = 1024

    package init(_ source: Source, from: Date, to: Date, at now: Date) async throws {
        (self.source, self.from, self.to, self.now) = (source, from, to, now)
        // An event is billed in its own month, or in a later one if its month is closed. In development, that can even be a future month.
        // So this reads all months that have a partition, and those whose events arrived without a partition.
        months = try await source.run(
            """
            SELECT month FROM (
                SELECT month FROM usage_partitions() AS month UNION SELECT month FROM missing_usage_partitions('{}') AS month
            ) AS place WHERE month >= \(Month(from)) ORDER BY month
            """
        ).map { try $0.get("month") }
    }

    package var start: Position { Position(period: Month(from), time: from.addingTimeInterval(-1)) }

    /// Reads the next page of one month.
    /// - Returns: a page, which is empty if the month has no more rows, or nil after the last month.
    package func page(after position: Position) async throws -> Page? {
        guard let month = months.first(where: { $0 >= position.period }) else { return nil }
        var page = try await read(after: month > position.period ? Position(period: month, time: start.time) : position)
        if page.rows < pageSize { page.next = Position(period: month.next, time: start.time) }
        return page
    }

    private func read(after position: Position) async throws -> Page {
        let settings: [SQL] = [
            """
            SELECT set_config('jit', 'off', true),
                -- Forces a scan along the key. Other plans would read and sort the whole month for each page.
                set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true),
                set_config('max_parallel_workers_per_gather', '0', true),
                -- A page takes milliseconds. On a machine without free processors, the usual 10 s would end the export.
                set_config('statement_timeout', '60000', true)
            """,
            UsagePartitions.hold(position.period),
        ]
        let copy = SQL(unsafe: "COPY (\(rows(after: position))) TO STDOUT (FORMAT binary)")
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pageSize * LedgerRow.size)
        switch source {
        case .tenant(let database):
            for try await rows in database.copyOut(copy, settings: settings, atLeast: 1 << 18) { bytes += rows }
        case .platform(let database):
            for try await rows in database.copyOut(copy, settings: settings, atLeast: 1 << 18) { bytes += rows }
        }
        let (rows, last) = try LedgerRow.summary(of: bytes)
        return Page(bytes: bytes, rows: rows, next: last ?? position)
    }

    /// The first billing month of a tenant's events in the window that is no longer in the ledger.
    package static func archived(of tenant: ID<Tenant>, from: Date, to: Date) -> SQL {
        archived("tenant_id = \(tenant)", from, to)
    }

    /// The same month for the events of all tenants.
    package static func archivedOfAll(from: Date, to: Date) -> SQL {
        archived("true", from, to)
    }

    private static func archived(_ condition: SQL, _ from: Date, _ to: Date) -> SQL {
        """
        SELECT month FROM usage_archive WHERE month >= \(Month(from)) AND (
            month::timestamp AT TIME ZONE 'UTC' < \(to)
            -- A later month bills late logins of the window, unless it was restored too.
            OR EXISTS (SELECT FROM usage_day WHERE billing_period = month AND \(part: condition)
                AND day >= \(Day(from)) AND day::timestamp AT TIME ZONE 'UTC' < \(to)))
        ORDER BY month LIMIT 1
        """
    }

    /// The approximate number of a tenant's events by day of login, for a progress bar.
    package static func estimate(of tenant: ID<Tenant>, from: Date, to: Date) -> SQL {
        estimate("tenant_id = \(tenant)", from, to)
    }

    /// The same number for all tenants.
    package static func estimateOfAll(from: Date, to: Date) -> SQL {
        estimate("true", from, to)
    }

    private static func estimate(_ condition: SQL, _ from: Date, _ to: Date) -> SQL {
        // The last day that is at least partly in the range.
        let last = Day(to.addingTimeInterval(-0.000_001))
        return """
            SELECT (COALESCE((SELECT sum(events) FROM usage_day WHERE day BETWEEN \(Day(from)) AND \(last)
                    AND \(part: condition)), 0)
                + (SELECT count(*) FROM usage_arrival WHERE occurred_at >= \(from) AND occurred_at < \(to)
                    AND \(part: condition)))::bigint AS rows
            """
    }
}
