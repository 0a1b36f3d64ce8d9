import Access
import Delivery
package import Foundation
import Ledger
package import Logging
package import Postgres

/// Closes months that are over, each tenant's by exactly one process, and one after the other.
///
/// First the month is taken: a row says that it is being closed, and from then on logins are billed in the next one. Then its events
/// are read, counted and digested, and the prices that held are applied to them. The database checks the result (`Bill.close`) and
/// writes lines, digest and the closed state in one transaction. After a crash nothing is written, and another process takes the
/// month when the lease is over.
package struct CloseStatements: Sendable {
    private let pool: DatabasePool
    private let grace: TimeInterval
    private let simulatesClock: Bool
    private let logger: Logger

    /// How long after a month's end logins may still be written into it, in seconds, unless a setting says otherwise: a process that
    /// hangs, clocks that are apart. What comes later is a correction on the next statement.
    package static let grace: TimeInterval = 86400

    private static let batch = 1000

    /// - Parameters:
    ///   - grace: see the static one.
    ///   - simulatesClock: whether the time that a pass is told is believed, as for development and tests. Without, a month is over
    ///     only when it is so by the database's clock as well: a process whose clock is ahead closes none too early, for good.
    package init(pool: DatabasePool, grace: TimeInterval = Self.grace, simulatesClock: Bool = false, logger: Logger) {
        (self.pool, self.grace, self.simulatesClock, self.logger) = (pool, grace, simulatesClock, logger)
    }

    /// Closes all that is due. A month that cannot be closed does not stop the others, and is tried again when its lease is over.
    /// - Returns: how many this process has closed.
    @discardableResult
    package func pass(at now: Date) async throws -> Int {
        let database = PlatformDatabase(pool)
        let begun = ContinuousClock.now
        let time = simulatesClock ? now : min(now, try await database.run("SELECT clock_timestamp() AS now")[0].get("now"))
        let last = Month(time.addingTimeInterval(-grace)).previous
        var closed = 0
        while true {
            // In any order: processes that begin together do not stand in each other's way.
            let due = try await database.run(ClosingMonth.due(upTo: last, at: now, limit: Self.batch)).map(ClosingMonth.Candidate.init)
                .shuffled()
            var closedNow = 0
            for candidate in due {
                do {
                    // A pass may last longer than a lease.
                    let elapsed = (ContinuousClock.now - begun) / .seconds(1)
                    guard let month = try await ClosingMonth.take(candidate, at: now, after: elapsed, in: database) else { continue }
                    try await close(month, since: begun, at: now)
                    closedNow += 1
                } catch {
                    try Task.checkCancellation()
                    logger.error(
                        "a month could not be closed",
                        metadata: ["tenant": "\(candidate.tenant)", "period": "\(candidate.period)", "cause": "\(error)"])
                }
            }
            closed += closedNow
            // A tenant may have another month to close.
            guard closedNow > 0 else { return closed }
        }
    }

    private func close(_ taken: ClosingMonth, since begun: ContinuousClock.Instant, at now: Date) async throws {
        let database = PlatformDatabase(pool)
        var month = taken
        var events = try await BilledEvents.read(of: month.tenant, in: month.period, from: pool) {
            let elapsed = (ContinuousClock.now - begun) / .seconds(1)
            try await month.renew(until: now.addingTimeInterval(elapsed + ClosingMonth.lease), in: database)
        }
        if month.isPurged, events.count == 0 {
            events = try await BilledEvents.counted(of: month.tenant, in: month.period, in: database)
        }
        let bill = try await Bill(of: month.tenant, in: month.period, events: events, from: database)
        let (held, billed) = (month, events)
        try await database.transaction { db in
            try await held.hold(in: db)
            _ = try await db.run([
                "SELECT set_config('statement_timeout', '3600000', true)", try bill.close(held, over: billed, at: now),
            ])
            guard !held.isPurged,
                let statement = try StatementReply.read(try await db.run(StatementReply.find(.id(held.id), of: held.tenant)))
            else { return }
            _ = try await db.run(
                WebhookEvent.emit(.statementClosed, data: ClosedEvent(statement), owner: held.tenant.uuid, at: now))
            _ = try await db.run(
                AuditEvent.insert(
                    "statement.closed", of: held.id.description, owner: held.tenant.uuid, by: .system, after: statement, at: now))
        }
        logger.info(
            "a month was closed",
            metadata: ["tenant": "\(held.tenant)", "period": "\(held.period)", "events": "\(billed.count)", "lines": "\(bill.lines.count)"])
    }
}

/// What webhooks hear of it: what it comes to, and where the rest is.
private struct ClosedEvent: Encodable {
    let statement_id: ID<Statement>
    let tenant_id: ID<Tenant>
    let period: Month
    let events: Int
    let totals: [StatementReply.Total]

    init(_ statement: StatementReply) {
        (statement_id, tenant_id, period) = (statement.id, statement.tenant_id, statement.period)
        (events, totals) = (statement.events, statement.totals)
    }
}
