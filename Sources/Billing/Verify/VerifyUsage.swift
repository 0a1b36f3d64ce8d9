package import Access
import Foundation
package import Ledger
package import Postgres
import Tenancy

/// Recomputes what was added up and what was billed from the ledger's events, and says where they differ.
///
/// What waits to be added up is left out on both sides, and each comparison is one statement, which sees one moment: so it can be
/// done while people sign in.
package enum VerifyUsage {
    /// One tenant's month, or some days of it.
    package struct Period: Sendable {
        package let tenant: ID<Tenant>
        package let slug: String
        package let month: Month
        /// Nil for the whole month, as it is billed: with what came late of earlier months, without what came late of itself. Else only
        /// these days, by when logins occurred, whenever they are billed.
        package let days: ClosedRange<Day>?
    }

    package struct Result: Sendable {
        /// Whether its events are no longer in the ledger: the tenant is purged, or the month was archived. Its numbers can then be
        /// compared with nothing.
        package internal(set) var isTakenOut = false
        /// How many events the ledger has of the period, those included that wait.
        package internal(set) var events = 0
        /// How many of them are still to be added up.
        package internal(set) var waiting = 0
        /// Nil where the month is not closed, and of days.
        package internal(set) var statement: Int?
        /// Later months in which logins of this period are billed, and which were taken out: so its users cannot be counted anew, nor
        /// these logins.
        package internal(set) var takenOut: [Month] = []
        /// A line each; none when all agrees.
        package internal(set) var differences: [String] = []
    }


    /// All months with events or sums, the oldest first; of the first and the last perhaps only some days.
    ///
    /// - Parameters:
    ///   - slug: whose; all tenants' without one.
    ///   - from: the first day; no bound without one.
    ///   - to: the last day.
    package static func periods(of slug: String?, from: Day?, to: Day?, in database: PlatformDatabase) async throws -> [Period] {
        try await database.run(
            """
            SELECT tenant.id, tenant.slug, month
            FROM (
                \(part: LedgerScope.months)
                UNION SELECT tenant_id, period FROM statement WHERE state = 'closed'
            ) AS used JOIN (\(part: Tenant.names)) AS tenant ON tenant.id = used.tenant_id
            WHERE slug = COALESCE(\(slug), slug)
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

    /// - Parameter pool: one whose statements may take long.
    package static func verify(_ period: Period, in pool: DatabasePool) async throws -> Result {
        let database = PlatformDatabase(pool)
        var places = try await Places(of: period, in: database)
        while true {
            let result = try await verify(period, places, in: pool)
            let after = try await Places(of: period, in: database)
            // What was taken out, or came back, on the way is no difference: it is looked at once more.
            if result.differences.isEmpty || after == places { return result }
            places = after
        }
    }

    private static func verify(_ period: Period, _ places: Places, in pool: DatabasePool) async throws -> Result {
        let database = PlatformDatabase(pool)
        var result = Result()
        guard !places.isTakenOut else {
            result.isTakenOut = true
            return result
        }
        result.takenOut = places.later.filter(\.isTakenOut).map(\.month)
        let scope = LedgerScope(
            of: period.tenant, period.month, days: period.days,
            billedIn: [period.month] + places.later.filter { !$0.isTakenOut }.map(\.month))
        let counts = try await database.run(scope.counts)[0]
        (result.events, result.waiting) = (try counts.get("events"), try counts.get("waiting"))
        result.differences += try await database.run(scope.strangers).map { row in
            "event \(try row.get("id", as: UUID.self).uuidString.lowercased()) waits to be added up, and the ledger does not have it so"
        }
        result.differences += try await database.run(scope.byDay).map { row in
            try difference("", row, "events")
        }
        if result.takenOut.isEmpty {
            result.differences += try await database.run(scope.users).map { row in
                try difference("users of ", row, "users")
            }
        }
        if period.days == nil { try await compareStatement(period, &result, in: pool) }
        return result
    }

    private static func difference(_ prefix: String, _ row: Row, _ counted: String) throws -> String {
        let what = try row.get("what", as: String.self)
        return "\(prefix)\(what): \(try row.get(counted, as: Int.self)) in the ledger, \(try row.get("told", as: Int.self)) added up"
    }

    /// Where a period's logins are, as it is at a moment.
    private struct Places: Equatable {
        struct Later: Equatable {
            let month: Month
            let isTakenOut: Bool
        }

        /// Whether its own events have left the ledger.
        let isTakenOut: Bool
        /// The months in which logins of this period are billed that came when theirs was closed.
        let later: [Later]

        init(of period: Period, in database: PlatformDatabase) async throws {
            let days = period.days ?? period.month.firstDay...period.month.lastDay
            let found = try await database.run([
                """
                SELECT \(part: Tenant.isPurged(period.tenant)) OR \(part: LedgerScope.isArchived(period.month)) AS taken_out
                """,
                LedgerScope.laterMonths(of: period.tenant, after: period.month, days),
            ])
            isTakenOut = try found[0][0].get("taken_out")
            later = try found[1].map { Later(month: try $0.get("month"), isTakenOut: try $0.get("taken_out")) }
        }
    }

    /// The closed month's number and digest, from the events themselves.
    private static func compareStatement(_ period: Period, _ result: inout Result, in pool: DatabasePool) async throws {
        let statement = try await PlatformDatabase(pool).run(
            """
            SELECT events, digest FROM statement
            WHERE tenant_id = \(period.tenant) AND period = \(period.month) AND state = 'closed'
            """)
        guard let row = statement.first else { return }
        let (events, digest) = (try row.get("events", as: Int.self), try row.get("digest", as: [UInt8].self))
        result.statement = events
        let ledger = try await BilledEvents.read(of: period.tenant, in: period.month, from: pool)
        if ledger.count != events {
            result.differences.append("the statement: \(ledger.count) in the ledger, \(events) billed")
        } else if ledger.digest != digest {
            result.differences.append("the statement: as many events are in the ledger as were billed, but not the same ones")
        } else {
            do {
                result.differences += try await differingLines(period, ledger, in: PlatformDatabase(pool))
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
            .map { "the statement: line \($0 + 1) is not what the ledger and the prices of then come to" }
    }
}
