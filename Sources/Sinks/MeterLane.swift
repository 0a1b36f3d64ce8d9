import Delivery
import Foundation
import Sealing
import Synchronization

/// The meter events of one customer, sent one after the other: Stripe takes one call per customer and meter at a time, and rejects the
/// others (429).
struct MeterLane: Sendable {
    let customer: String
    let events: [MeterEvent]

    /// The result of one event.
    enum Fate: Sendable {
        case taken
        /// Stripe rejects this event, and may well take the next one.
        case refused(Int)
        /// It is to be sent again.
        case failed(OutgoingRequest.Answer, mayBeCounted: Bool)
        /// It was not sent in this pass.
        case unsent
    }

    /// The results of all of them.
    struct Outcome: Sendable {
        let lane: MeterLane
        var fates: [(event: MeterEvent, fate: Fate)] = []
        /// Why the lane ended before its last event, and how long Stripe asked to be left alone.
        var failure: OutgoingRequest.Answer?
        var pause: Duration?

        var hasProgress: Bool { fates.contains { if case .taken = $0.fate { true } else { false } } }
    }

    /// How often an event is sent again in one pass that meets the rate limit.
    private static let repetitions = 4
    /// The longest wait within a pass. The customer waits longer than that without keeping the place of another.
    private static let longestWait = Duration.seconds(5)

    /// - Parameters:
    ///   - door: what the lanes of a pass share.
    ///   - deadline: when the last request of the pass may begin.
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
            case .status(400) where Stripe.saysDuplicate(outcome.body): return (.taken, nil)
            case .status(429):
                // Without a word from Stripe: 0.1 s, then twice as long each time, and half of it by chance.
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

/// The shared state of the lanes of a pass: the pace, and whether Stripe takes anything at all.
final class MeterDoor: Sendable {
    private struct State {
        var closedBy: OutgoingRequest.Answer?
        var (taken, failed) = (0, 0)
        var next = ContinuousClock.now
    }
    private let state = Mutex(State())

    /// Half of the 1,000 calls per second that Stripe allows an account.
    private static let pace = Duration.milliseconds(2)
    /// After so many failures without a success, it is assumed that Stripe takes nothing.
    private static let enough = 10

    /// Why no lane sends anything more in this pass.
    var closedBy: OutgoingRequest.Answer? { state.withLock { $0.closedBy } }
    var isClosed: Bool { closedBy != nil }

    /// When the next request may begin.
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
            // The key or the address is wrong, for all customers alike.
            case .failed(.status(let status), _) where [401, 403, 404].contains(status): state.closedBy = .status(status)
            // One customer's limit is none of the others'.
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
