package import Access
import Delivery
package import Foundation
import Ledger
package import Logging
import Postgres

/// Closes past months, one after another, each tenant's month by exactly one process.
///
/// First all events are aggregated, which moves them to the ledger. Then the month is taken: a row marks it as closing, and new logins are
/// billed in the next month. Then its events are read, counted and digested, and the prices in effect are applied. The database checks the
/// result (`Bill.close`). It writes lines, digest and the closed state in one transaction. After an error nothing is written, and any process
/// may take the month again at once. After a crash, another process takes it after the end of the lease.
package struct CloseStatements: Sendable {
    private let database: PlatformDatabase
    private let grace: TimeInterval
    private let simulatesClock: Bool
    private let logger: Logger

    /// The default of a setting: how long after a month's end logins may still be written into it, in seconds. This covers a process that
    /// hangs and the clock difference between servers. Later logins become corrections on the next statement.
    package static let grace: TimeInterval = 86400

    private static let batch = 1000

    /// - Parameters:
    /// - grace: see the static property.
    /// - simulatesClock: whether to trust the given time, for development and tests. Otherwise a month must also be over by the database's
    ///   clock. So a process with a fast clock cannot close a month too early, which is permanent.
    package init(database: PlatformDatabase, grace: TimeInterval = Self.grace, simulatesClock: Bool = false, logger: Logger) {
        (self.database, self.grace, self.simulatesClock, self.logger) = (database, grace, simulatesClock, logger)
    }

    /// Closes all due months. A failure does not stop the others.
    /// - Returns: the number of months that this process has closed.
    /// - Throws: `Unclosed` at the end if months could not be closed, and `DatabaseError` if the due months could not be read.
    @discardableResult
    package func pass(at now: Date) async throws -> Int {
        let started = ContinuousClock.now
        let time = simulatesClock ? now : min(now, try await database.run("SELECT clock_timestamp() AS now")[0].get("now"))
        let last = Month(time.addingTimeInterval(-grace)).previous
        do { try await RollUp(database: database).add(at: now) } catch let error as DatabaseError where !error.isLockTimeout {
            // The months without waiting events can be closed. The database refuses the others.
            logger.error("cannot aggregate usage", metadata: ["cause": "\(error)"])
        }
        var closed = 0
        while true {
            // The order is random, so that processes that start together do not block each other.
            let due = try await database.run(ClosingMonth.due(upTo: last, at: now, limit: Self.batch)).map(ClosingMonth.Candidate.init)
                .shuffled()
            var (closedNow, failed) = (0, 0)
            for candidate in due {
                do {
                    // A pass may last longer than a lease.
                    let elapsed = (ContinuousClock.now - started) / .seconds(1)
                    guard let month = try await ClosingMonth.take(candidate, at: now, after: elapsed, in: database) else { continue }
                    try await closeOrRelease(month, since: started, at: now)
                    closedNow += 1
                } catch {
                    try Task.checkCancellation()
                    failed += 1
                    logger.error(
                        "cannot close a month",
                        metadata: ["tenant": "\(candidate.tenant)", "period": "\(candidate.period)", "cause": "\(error)"])
                }
            }
            closed += closedNow
            // A tenant may have another month to close.
            guard closedNow > 0 else {
                if failed > 0 { throw Unclosed(months: failed, closed: closed) }
                return closed
            }
        }
    }

    /// Months that could not be closed. The log has the cause of each.
    package struct Unclosed: Error, CustomStringConvertible {
        let months: Int
        let closed: Int

        package var description: String {
            "\(months) month\(months == 1 ? "" : "s") could not be closed, and \(closed) \(closed == 1 ? "was" : "were"). The log has the causes."
        }
    }

    private func closeOrRelease(_ taken: ClosingMonth, since started: ContinuousClock.Instant, at now: Date) async throws {
        var month = taken
        do {
            try await close(&month, since: started, at: now)
        } catch {
            // Without this, the month would wait for the end of the lease. This fails, too, if the database is not available. The task is
            // new, because a server that stops has canceled this one.
            let (held, database) = (month, database)
            do { try await Task { try await held.release(at: now, in: database) }.value } catch {
                logger.warning("a month is released only after its lease", metadata: ["period": "\(month.period)", "cause": "\(error)"])
            }
            throw error
        }
    }

    private func close(_ month: inout ClosingMonth, since started: ContinuousClock.Instant, at now: Date) async throws {
        // Logins that were in progress when the month was taken.
        if try await !database.run(UsageEvent.wait(of: month.tenant, upTo: month.period)).isEmpty {
            try await RollUp(database: database).add(at: now)
        }
        var events = try await BilledEvents.read(of: month.tenant, in: month.period, from: database) {
            let elapsed = (ContinuousClock.now - started) / .seconds(1)
            try await month.renew(until: now.addingTimeInterval(elapsed + ClosingMonth.lease), in: database)
        }
        if month.isPurged, events.count == 0 {
            events = try await BilledEvents.counted(of: month.tenant, in: month.period, in: database)
        }
        let bill = try await Bill(of: month.tenant, in: month.period, events: events, from: database)
        let (held, billed) = (month, events)
        try await database.transaction { db in
            try await held.hold(in: db)
            _ = try await db.run(try bill.close(held, over: billed, at: now), upTo: .seconds(3600))
            guard !held.isPurged,
                let statement = try await StatementReply.find(.id(held.id), of: held.tenant, in: db)
            else { return }
            _ = try await db.run(
                WebhookEvent.emit(.statementClosed, data: ClosedEvent(statement), owner: held.tenant.uuid, at: now))
            _ = try await db.run(
                AuditEvent.insert(
                    "statement.closed", of: held.id.description, owner: held.tenant.uuid, by: .system, after: statement, at: now))
        }
        logger.info(
            "month closed",
            metadata: ["tenant": "\(held.tenant)", "period": "\(held.period)", "events": "\(billed.count)", "lines": "\(bill.lines.count)"])
    }
}

/// The webhook data: the totals, and the place of the statement.
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
