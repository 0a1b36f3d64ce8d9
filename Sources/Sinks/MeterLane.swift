import Delivery
import Foundation
import Sealing
import Synchronization

/// Sends the meter events of one customer one after another. Stripe accepts one call per customer and meter at a time, and rejects the
/// others (429).
struct MeterLane: Sendable {
    let customer: String
    let events: [MeterEvent]

    /// The result of one event.
    enum Fate: Sendable {
        case taken
        /// Stripe rejects this event, but may accept the next one.
        case refused(Int)
        /// The event must be sent again.
        case failed(OutgoingRequest.Answer, mayBeCounted: Bool)
        /// It was not sent in this pass.
        case unsent
    }

    /// The results of all events.
    struct Outcome: Sendable {
        let lane: MeterLane
        var fates: [(event: MeterEvent, fate: Fate)] = []
        /// The reason why the lane ended before its last event, and the wait that Stripe requested.
        var failure: OutgoingRequest.Answer?
        var pause: Duration?

        var hasProgress: Bool { fates.contains { if case .taken = $0.fate { true } else { false } } }
    }

    /// How often an event is sent again in one pass after a rate limit.
    private static let repetitions = 4
    /// The longest wait within a pass. A customer with a longer wait leaves its place to another.
    private static let longestWait = Duration.seconds(5)

    /// Sends the events of the lane.
    /// - Parameters:
    /// - door: the shared state of the lanes of a pass.
    /// - deadline: the last time at which a request may start.
    /// - Throws: `CancellationError`.
    func send(by stripe: Stripe, through door: MeterDoor, until deadline: ContinuousClock.Instant) async throws -> Outcome {
        var outcome = Outcome(lane: self)
        for event in events {
            guard outcome.failure == nil, !door.isClosed, ContinuousClock.now < deadline else {
                outcome.fates.append((event, .unsent))
                continue
            }
            let (fate, pause) = try await fate(of: event, by: stripe, through: door, until: deadline)
            outcome.fates.append((event, fate))
            door.record(fate)
            if case .failed(let answer, _) = fate { (outcome.failure, outcome.pause) = (answer, pause) }
        }
        return outcome
    }

    private func fate(
        of event: MeterEvent, by stripe: Stripe, through door: MeterDoor, until deadline: ContinuousClock.Instant
    ) async throws -> (Fate, pause: Duration?) {
        var repetition = 0
        while true {
            try await Task.sleep(until: door.slot(), clock: .continuous)
            let outcome = try await stripe.send(event)
            switch outcome.answer {
            case .status(200..<300): return (.taken, nil)
            case .status(400) where Stripe.reportsDuplicate(outcome.body): return (.taken, nil)
            case .status(429):
                // Without `Retry-After` from Stripe, the wait is 0.1 s and doubles each time. Half of it is random.
                let wait = outcome.retryAfter ?? .milliseconds(100 << repetition) * Double.random(in: 0.5...1)
                repetition += 1
                guard repetition <= Self.repetitions, wait <= Self.longestWait, ContinuousClock.now + wait < deadline
                else { return (.failed(outcome.answer, mayBeCounted: false), outcome.retryAfter) }
                try await Task.sleep(for: wait)
            case .status(let status) where DeliverUsage.refusals.contains(status): return (.refused(status), nil)
            case .status(let status): return (.failed(outcome.answer, mayBeCounted: status >= 500), outcome.retryAfter)
            case .failure: return (.failed(outcome.answer, mayBeCounted: outcome.mayHaveArrived), nil)
            }
        }
    }
}

/// The shared state of the lanes of a pass: the pace, and whether Stripe accepts anything at all.
final class MeterDoor: Sendable {
    private struct State {
        var closedBy: OutgoingRequest.Answer?
        var (taken, failed) = (0, 0)
        var next = ContinuousClock.now
    }
    private let state = Mutex(State())

    /// Half of the 1,000 calls per second that Stripe allows an account.
    private static let pace = Duration.milliseconds(2)
    /// After this number of failures without a success, Stripe is assumed to accept nothing.
    private static let enough = 10

    /// The reason why no lane sends further events in this pass.
    var closedBy: OutgoingRequest.Answer? { state.withLock { $0.closedBy } }
    var isClosed: Bool { closedBy != nil }

    /// The earliest time for the next request.
    func slot() -> ContinuousClock.Instant {
        state.withLock { state in
            let slot = max(state.next, .now)
            state.next = slot + Self.pace
            return slot
        }
    }

    func record(_ fate: MeterLane.Fate) {
        state.withLock { state in
            switch fate {
            case .taken: state.taken += 1
            case .unsent: break
            // The key or the address is wrong for all customers.
            case .failed(.status(let status), _) where [401, 403, 404].contains(status): state.closedBy = .status(status)
            // One customer's limit does not affect the others.
            case .failed(.status(429), _): break
            case .failed(let answer, _):
                state.failed += 1
                if state.taken == 0, state.failed >= Self.enough { state.closedBy = answer }
            case .refused(let status):
                state.failed += 1
                if state.taken == 0, state.failed >= Self.enough { state.closedBy = .status(status) }
            }
        }
    }
}
