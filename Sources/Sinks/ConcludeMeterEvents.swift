import Access
import Delivery
import Foundation
import Postgres

/// Records the results of the meter events of a pass, and decides when the remaining events are sent again.
struct ConcludeMeterEvents: Sendable {
    let sink: UsageSink
    let lease: Int
    /// The number of consecutive passes in which Stripe accepted nothing.
    let failures: Int
    /// Whether logins wait for their tenant to get a customer.
    let lacksCustomer: Bool
    /// The reason why the pass ended early for all customers.
    let closedBy: OutgoingRequest.Answer?
    let outcomes: [MeterLane.Outcome]
    let now: Date

    /// After this number of attempts, an event that is rejected individually is set aside, even if no other event was accepted with it.
    private static let patientAttempts = 5

    private var fates: [(event: MeterEvent, fate: MeterLane.Fate)] { outcomes.flatMap(\.fates) }

    var taken: [MeterEvent] {
        fates.compactMap { if case .taken = $0.fate { $0.event } else { nil } }
    }

    /// The events that are set aside now, by HTTP status.
    var refused: [Int: [MeterEvent]] {
        let isTaking = !taken.isEmpty
        let refused = fates.compactMap { event, fate -> (Int, MeterEvent)? in
            guard case .refused(let status) = fate else { return nil }
            // If Stripe accepts nothing at all, the event is probably not the cause.
            let isForGood =
                isTaking || event.attempts + 1 >= Self.patientAttempts && (sink.deliveredAt ?? .distantPast) > event.createdAt
            return isForGood ? (status, event) : nil
        }
        return Dictionary(grouping: refused, by: \.0).mapValues { $0.map(\.1) }
    }

    /// The reason why an event was not accepted.
    var failure: UsageSink.Failure? {
        let answers = fates.compactMap { _, fate -> OutgoingRequest.Answer? in
            switch fate {
            case .failed(let answer, _): answer
            case .refused(let status): .status(status)
            case .taken, .unsent: nil
            }
        }
        return switch closedBy ?? answers.last {
        case .status(let status): .init(at: now, status: status, error: nil)
        case .failure(let failure): .init(at: now, status: nil, error: failure.rawValue)
        case nil: lacksCustomer ? .init(at: now, status: nil, error: "no_customer") : nil
        }
    }

    /// Runs in one transaction. Every transaction takes its locks in this order: the sink, customers, events.
    func record(in db: Transaction) async throws {
        // A process that lost its lease does not know what another process has sent since then. It records only its accepted events.
        let holdsLease = try await db.run(sinkChange).affected == 1
        _ = try await db.run(holdsLease ? failureChange + customerChanges + takenChange + eventChanges : takenChange)
    }

    private var sinkChange: SQL {
        let (failures, resumeAt) =
            closedBy == nil ? (0, now) : (failures + 1, now.addingTimeInterval(ConcludeDelivery.wait(after: failures + 1)))
        return """
            UPDATE usage_sink SET leased_until = \(now), failures = \(failures), resume_at = \(resumeAt),
                delivered_at = CASE WHEN \(taken.isEmpty) THEN delivered_at ELSE GREATEST(delivered_at, \(now)) END
            WHERE tenant_id = \(UUID.platform) AND id = \(sink.id) AND lease = \(lease)
            """
    }

    private var failureChange: [SQL] {
        guard let failure else { return [] }
        return [
            """
            UPDATE usage_sink SET failed_at = \(failure.at), failure_status = \(failure.status)::integer, failure = \(failure.error)
            WHERE tenant_id = \(UUID.platform) AND id = \(sink.id) AND (failed_at IS NULL OR failed_at <= \(failure.at))
            """
        ]
    }

    private var customerChanges: [SQL] {
        var (names, counts, times): ([String], [Int], [Date]) = ([], [], [])
        for outcome in outcomes {
            let before = outcome.lane.events.first?.customerFailures ?? 0
            let pause = outcome.pause.map { $0 / .seconds(1) } ?? 0
            let isStuck = outcome.failure != nil && !outcome.hasProgress
            guard isStuck || before > 0 || pause > 0 else { continue }
            let wait = isStuck ? max(pause, ConcludeDelivery.wait(after: before + 1)) : pause
            names.append(outcome.lane.customer)
            counts.append(isStuck ? before + 1 : 0)
            times.append(now.addingTimeInterval(wait))
        }
        guard !names.isEmpty else { return [] }
        return [
            """
            UPDATE usage_sink_customer SET failures = counted, resume_at = until
            FROM unnest(\(names), \(counts), \(times)) AS changed (customer, counted, until) WHERE customer_id = customer
            """
        ]
    }

    private var takenChange: [SQL] {
        let taken = taken
        guard !taken.isEmpty else { return [] }
        return [
            """
            UPDATE usage_meter_event SET taken_at = \(now), refused_at = NULL, refused_reason = NULL, refused_status = NULL
            FROM unnest(\(taken.map(\.tenant.uuid)), \(taken.map(\.id))) AS done (tenant, event)
            WHERE tenant_id = tenant AND id = event AND taken_at IS NULL AND sent_at IS NOT NULL
            """
        ]
    }

    private var eventChanges: [SQL] {
        let refused = refused
        let setAside = Set(refused.values.flatMap { $0.map(\.id) })
        // The events to send again: whether it was tried, and whether this pass leaves no doubt that it was not counted.
        var again: [(event: MeterEvent, isTried: Bool, isNotCounted: Bool)] = []
        for (event, fate) in fates {
            switch fate {
            case .taken: break
            case .refused: if !setAside.contains(event.id) { again.append((event, true, event.sentAt == nil)) }
            case .failed(_, let mayBeCounted): again.append((event, true, !mayBeCounted && event.sentAt == nil))
            case .unsent: again.append((event, false, event.sentAt == nil))
            }
        }
        var statements: [SQL] = []
        for (status, events) in refused {
            statements.append(
                """
                UPDATE usage_meter_event SET refused_at = \(now), refused_reason = \(MeterEvent.SetAside.refused), refused_status = \(status),
                    attempts = attempts + 1, sent_at = CASE WHEN is_not_counted THEN NULL ELSE sent_at END
                FROM unnest(\(events.map(\.tenant.uuid)), \(events.map(\.id)), \(events.map { $0.sentAt == nil }))
                    AS refused (tenant, event, is_not_counted)
                WHERE tenant_id = tenant AND id = event AND taken_at IS NULL
                """)
        }
        if !again.isEmpty {
            let due = again.map { $0.isTried ? now.addingTimeInterval(ConcludeDelivery.wait(after: $0.event.attempts + 1)) : now }
            statements.append(
                """
                UPDATE usage_meter_event SET attempts = attempts + tried, due_at = due,
                    sent_at = CASE WHEN is_not_counted THEN NULL ELSE sent_at END
                FROM unnest(\(again.map(\.event.tenant.uuid)), \(again.map(\.event.id)), \(again.map { $0.isTried ? 1 : 0 }), \(due),
                    \(again.map(\.isNotCounted))) AS again (tenant, event, tried, due, is_not_counted)
                WHERE tenant_id = tenant AND id = event AND taken_at IS NULL
                """)
        }
        return statements
    }
}
