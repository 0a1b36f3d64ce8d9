package import Access
import Foundation
package import Ledger
import Postgres
import Tenancy

/// Calculates the aggregated and the billed numbers again from the ledger's events, and reports differences.
///
/// Waiting events are excluded on both sides, and each comparison is one statement with one snapshot. So it can run during logins.
package enum VerifyUsage {
    /// One tenant's month, or some days of it.
    package struct Period: Sendable {
        package let tenant: ID<Tenant>
        package let slug: String
        package let month: Month
        /// Nil for the whole month as it is billed: including late logins of earlier months, excluding its own late logins. Otherwise only
        /// these days, by the time of the logins, regardless of their billing month.
        package let days: ClosedRange<Day>?
    }

    package struct Result: Sendable {
        /// Whether its events are no longer in the ledger, because the tenant is purged or the month is archived. Its numbers then cannot
        /// be compared.
        package internal(set) var lacksEvents = false
        /// The number of events of the period in the ledger, including the waiting ones.
        package internal(set) var events = 0
        /// The number of events that are not aggregated yet.
        package internal(set) var waiting = 0
        /// The number of billed events. Nil for days, and for a month that is not closed.
        package internal(set) var statement: Int?
        /// Later archived months in which logins of this period are billed. Its users and these logins cannot be counted again.
        package internal(set) var archivedMonths: [Month] = []
        /// One line per difference. Empty if everything agrees.
        package internal(set) var differences: [String] = []
    }

    /// All months with events or sums, oldest first. The first and the last may have only some days.
    ///
    /// - Parameters:
    /// - from: the first day. Nil for no bound.
    /// - to: the last day. Nil for no bound.
    package static func periods(from: Day?, to: Day?, in database: PlatformDatabase) async throws -> [Period] {
        try await periods("true", from, to, in: database)
    }

    /// The same periods of the tenant with this slug.
    package static func periods(of slug: String, from: Day?, to: Day?, in database: PlatformDatabase) async throws -> [Period] {
        try await periods("slug = \(slug)", from, to, in: database)
    }

    private static func periods(_ condition: SQL, _ from: Day?, _ to: Day?, in database: PlatformDatabase) async throws -> [Period] {
        try await database.run(
            """
            SELECT tenant.id, tenant.slug, month
            FROM (
                \(part: LedgerScope.months)
                UNION SELECT tenant_id, period FROM statement WHERE state = 'closed'
            ) AS used JOIN (\(part: Tenant.names)) AS tenant ON tenant.id = used.tenant_id
            WHERE \(part: condition)
                AND month BETWEEN COALESCE(\(from?.month), '-infinity') AND COALESCE(\(to?.month), 'infinity')
            ORDER BY slug, month
            """
        ).map { row in
            let month = try row.get("month", as: Month.self)
            let days = max(month.firstDay, from ?? month.firstDay)...min(month.lastDay, to ?? month.lastDay)
            return Period(
                tenant: try row.get("id"), slug: try row.get("slug"), month: month,
                days: days == month.firstDay...month.lastDay ? nil : days)
        }
    }

    /// Compares a period with the ledger.
    /// - Parameter database: a database with a long statement timeout.
    package static func verify(_ period: Period, in database: PlatformDatabase) async throws -> Result {
        var places = try await Places(of: period, in: database)
        while true {
            let result = try await verify(period, places, in: database)
            let after = try await Places(of: period, in: database)
            // A month that was archived or restored since the start is not a difference. The check runs again.
            if result.differences.isEmpty || after == places { return result }
            places = after
        }
    }

    private static func verify(_ period: Period, _ places: Places, in database: PlatformDatabase) async throws -> Result {
        var result = Result()
        guard !places.lacksEvents else {
            result.lacksEvents = true
            return result
        }
        result.archivedMonths = places.later.filter(\.isArchived).map(\.month)
        let scope = LedgerScope(
            of: period.tenant, period.month, days: period.days,
            billedIn: [period.month] + places.later.filter { !$0.isArchived }.map(\.month))
        let counts = try await database.run(scope.counts)
        (result.events, result.waiting) = (try counts[0].get("events"), try counts[0].get("waiting"))
        result.differences += try await database.run(scope.unmatchedArrivals).map { row in
            "event \(try row.get("id", as: UUID.self).uuidString.lowercased()) waits to be aggregated, but is different in the ledger"
        }
        result.differences += try await database.run(scope.byDay).map { row in
            try difference("", row, "events")
        }
        if result.archivedMonths.isEmpty {
            result.differences += try await database.run(scope.users).map { row in
                try difference("users of ", row, "users")
            }
        }
        if period.days == nil { try await compareStatement(period, &result, in: database) }
        return result
    }

    private static func difference(_ prefix: String, _ row: Row, _ counted: String) throws -> String {
        let what = try row.get("what", as: String.self)
        let (events, aggregated) = (try row.get(counted, as: Int.self), try row.get("aggregated", as: Int.self))
        return "\(prefix)\(what): \(events) in the ledger, \(aggregated) aggregated"
    }

    /// The places of a period's logins at one moment.
    private struct Places: Equatable {
        struct Later: Equatable {
            let month: Month
            let isArchived: Bool
        }

        /// Whether its own events are no longer in the ledger.
        let lacksEvents: Bool
        /// The later months in which logins of this period are billed, because its own month was closed.
        let later: [Later]

        init(of period: Period, in database: PlatformDatabase) async throws {
            let days = period.days ?? period.month.firstDay...period.month.lastDay
            let (place, laterMonths) = try await database.run(
                """
                SELECT \(part: Tenant.isPurged(period.tenant)) OR \(part: LedgerScope.isArchived(period.month)) AS taken_out
                """,
                LedgerScope.laterMonths(of: period.tenant, after: period.month, days))
            lacksEvents = try place[0].get("taken_out")
            later = try laterMonths.map { Later(month: try $0.get("month"), isArchived: try $0.get("taken_out")) }
        }
    }

    /// Compares the closed month's number and digest with the events themselves.
    private static func compareStatement(_ period: Period, _ result: inout Result, in database: PlatformDatabase) async throws {
        let statement = try await database.run(
            """
            SELECT events, digest FROM statement
            WHERE tenant_id = \(period.tenant) AND period = \(period.month) AND state = 'closed'
            """)
        guard let row = statement.first else { return }
        let (events, digest) = (try row.get("events", as: Int.self), try row.get("digest", as: [UInt8].self))
        result.statement = events
        let ledger = try await BilledEvents.read(of: period.tenant, in: period.month, from: database)
        if ledger.count != events {
            result.differences.append("the statement: \(ledger.count) in the ledger, \(events) billed")
        } else if ledger.digest != digest {
            result.differences.append("the statement: the ledger has the billed number of events, but other events")
        } else {
            do {
                result.differences += try await differingLines(period, ledger, in: database)
            } catch let error where error is Rating.TooMany || error is Bill.NoPrices {
                result.differences.append("the statement: \(error)")
            }
        }
    }

    private static func differingLines(_ period: Period, _ ledger: BilledEvents, in database: PlatformDatabase) async throws -> [String] {
        let bill = try await Bill(of: period.tenant, in: period.month, events: ledger, isWritten: true, from: database)
        let billed = try await database.run(StatementLine.all(of: period.month, period.tenant)).map(StatementLine.init)
        let places = 0..<max(bill.lines.count, billed.count)
        return places.filter { !(bill.lines.indices ~= $0 && billed.indices ~= $0 && bill.lines[$0] == billed[$0]) }
            .map { "the statement: line \($0 + 1) differs from the ledger and the prices at that time" }
    }
}
