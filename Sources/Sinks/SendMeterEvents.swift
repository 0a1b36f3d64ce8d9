import Access
import Foundation
import Logging
import Postgres
import Sealing

/// Sends the logins of all tenants to Stripe, each minute of a tenant as one meter event.
///
/// A minute is sent after all its logins are aggregated. One process sends at a time, so that each customer has at most one call in
/// progress, as Stripe requires. Calls for different customers run in parallel. A pass in which any event was accepted is followed by the
/// next pass at once. Only customers and sinks without an accepted event wait, longer each time.
struct SendMeterEvents: Sendable {
    let database: PlatformDatabase
    let keyring: Keyring
    let allowsPrivate: Bool
    /// How long after a login its event can become visible, in seconds.
    let settling: TimeInterval
    let logger: Logger
    var timeout = Duration.seconds(15)
    /// For how long requests of one pass start. With the timeout of the last one, this is well below the lease.
    var patience = Duration.seconds(45)

    /// For how many customers events are sent at once.
    private static let lanes = 16
    /// How long a process can take for a pass before another one starts, in seconds. This is longer than the clock difference between
    /// servers.
    private static let lease: TimeInterval = 120

    /// The events that a process sends in a pass.
    private struct Claim {
        let sink: UsageSink
        /// The number of the lease. A process that lost its lease does not change the sink.
        let lease: Int
        let failures: Int
        let events: [MeterEvent]
        let setAside: [MeterEvent.SetAside: [MeterEvent]]
        let lacksCustomer: Bool
    }

    /// Sends the due meter events once.
    /// - Returns: the number of processed events.
    /// - Throws: `DatabaseError`, `SealingError`, `CancellationError`. No event is lost or counted twice.
    @discardableResult
    func pass(at now: Date) async throws -> Int {
        guard let claim = try await claim(in: database, at: now) else { return 0 }
        for (reason, events) in claim.setAside { logSetAside(events, reason, status: nil) }
        let started = ContinuousClock.now
        let door = MeterDoor()
        let outcomes = try await send(claim, through: door, until: started + patience)
        let ended = now.addingTimeInterval((ContinuousClock.now - started) / .seconds(1))
        let conclusion = ConcludeMeterEvents(
            sink: claim.sink, lease: claim.lease, failures: claim.failures, lacksCustomer: claim.lacksCustomer, closedBy: door.closedBy,
            outcomes: outcomes, now: ended)
        try await database.transaction { try await conclusion.record(in: $0) }
        for (status, events) in conclusion.refused { logSetAside(events, .refused, status: status) }
        if let failure = conclusion.failure, claim.events.count > 0 {
            logger.warning(
                "Stripe did not accept all meter events",
                metadata: [
                    "events": "\(claim.events.count)", "taken": "\(conclusion.taken.count)",
                    "status": "\(failure.status.map(String.init) ?? "-")", "cause": "\(failure.error ?? "-")",
                ])
        }
        return claim.events.count + claim.setAside.values.reduce(0) { $0 + $1.count }
    }

    /// Takes the due events and fixes them before the first request.
    private func claim(in database: PlatformDatabase, at now: Date) async throws -> Claim? {
        let end = now.addingTimeInterval(-settling)
        return try await database.transaction { db in
            guard let row = try await db.run(Self.free(at: now)).first else { return nil }
            let sink = try UsageSink(row)
            guard let name = sink.eventName else { return nil }
            // `feed_usage_sink`, which adds logins to their minute, takes this lock too.
            _ = try await db.run(["SELECT pg_advisory_xact_lock(1835365490, 0)"] + MeterEvent.dropUnbilled(sink, at: now))
            let (due, lacks) = try await db.run(
                MeterEvent.due(sink, eventName: name, before: end, at: now), MeterEvent.lacksCustomer(sink, before: end))
            let (found, lacksCustomer) = (try due.map(MeterEvent.init), try lacks[0].get("lacks", as: Bool.self))
            let reportsMissingCustomer = try lacksCustomer && row.get("may_report_again", as: Bool.self)
            guard !found.isEmpty || reportsMissingCustomer else { return nil }
            let byReason = Dictionary(grouping: found) { $0.setAside(at: now) }
            let events = byReason[nil] ?? []
            var setAside: [MeterEvent.SetAside: [MeterEvent]] = [:]
            for (reason, events) in byReason { if let reason { setAside[reason] = events } }
            _ = try await db.run(
                [Self.take(until: now.addingTimeInterval(Self.lease)), MeterEvent.fix(events, at: now)]
                    + setAside.map { MeterEvent.setAside($1, as: $0, at: now) })
            return Claim(
                sink: sink, lease: try row.get("lease", as: Int.self) + 1, failures: try row.get("failures"), events: events,
                setAside: setAside, lacksCustomer: lacksCustomer)
        }
    }

    /// The sink. Nil while another process sends, or before the next pass is due.
    private static func free(at now: Date) -> SQL {
        """
        SELECT id, format, url, event_name, sealed_secret, status, delivered_at, failed_at, failure_status, failure, compared_at,
            compare_failed_at, compare_status, compare_failure, created_at, updated_at, lease, failures,
            failure IS DISTINCT FROM 'no_customer' OR failed_at <= \(now.addingTimeInterval(-900)) AS may_report_again
        FROM usage_sink
        WHERE tenant_id = \(UUID.platform) AND format = \(UsageSink.Format.stripe) AND status = \(UsageSink.Status.enabled)
            AND leased_until <= \(now) AND resume_at <= \(now)
        FOR UPDATE SKIP LOCKED
        """
    }

    private static func take(until: Date) -> SQL {
        "UPDATE usage_sink SET lease = lease + 1, leased_until = \(until) WHERE tenant_id = \(UUID.platform)"
    }

    private func send(
        _ claim: Claim, through door: MeterDoor, until deadline: ContinuousClock.Instant
    ) async throws -> [MeterLane.Outcome] {
        let stripe = Stripe(
            url: claim.sink.url, secret: try claim.sink.secret(keyring), allowsPrivate: allowsPrivate, timeout: timeout)
        let all = Dictionary(grouping: claim.events, by: \.customer).map { MeterLane(customer: $0, events: $1) }
        return try await withThrowingTaskGroup(of: MeterLane.Outcome.self) { group in
            var rest = all[...]
            func begin() {
                guard let lane = rest.popFirst() else { return }
                group.addTask { try await lane.send(by: stripe, through: door, until: deadline) }
            }
            for _ in 0..<Self.lanes { begin() }
            var outcomes: [MeterLane.Outcome] = []
            while let outcome = try await group.next() {
                outcomes.append(outcome)
                begin()
            }
            return outcomes
        }
    }

    /// Logs each event once. It is not sent again until an operator retries it.
    private func logSetAside(_ events: [MeterEvent], _ reason: MeterEvent.SetAside, status: Int?) {
        guard !events.isEmpty else { return }
        logger.error(
            "meter events set aside",
            metadata: [
                "reason": "\(reason.rawValue)", "status": "\(status.map(String.init) ?? "-")", "events": "\(events.count)",
                "logins": "\(events.reduce(0) { $0 + $1.logins })",
                "identifiers": "\(events.prefix(20).map(\.identifier).joined(separator: " "))",
            ])
    }
}
