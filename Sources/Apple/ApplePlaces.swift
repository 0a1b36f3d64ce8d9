import Foundation
import Synchronization

/// The places for calls to Apple: the bulkhead between tenants.
///
/// A call gets a place while its tenant's calls over its connection, plus all calls over this connection, are fewer than the free
/// places. So each limit follows the load:
///
/// - One tenant with hanging calls holds a third of the places. Several such tenants hold fewer places each, and
///   never all.
/// - One connection holds at most half of the places, regardless of its number of tenants. So the shared connection leaves room
///   for the tenants with own connections, and a tenant on the shared connection leaves room for the others on it.
/// - A tenant and connection without a call in progress wait only while no place at all is free.
///
/// A call that gets no place waits. Calls of one share are served in their order, and shares take turns. Each process has its own
/// places.
final class ApplePlaces: Sendable {
    fileprivate enum Outcome {
        case granted
        case refused(AppleError)
    }

    fileprivate struct Waiter {
        let number: UInt64
        let continuation: CheckedContinuation<Outcome, Never>
    }

    fileprivate struct State {
        let total: Int
        var used = 0
        var waited = 0
        var lastNumber: UInt64 = 0
        var byConnection: [UUID: Int] = [:]
        var byShare: [AppleShare: Int] = [:]
        /// The shares that wait, in the order of their turns, and the waiters of each share.
        var turns: [AppleShare] = []
        var queues: [AppleShare: [Waiter]] = [:]
    }

    private let state: Mutex<State>

    /// - Parameter total: The maximum number of calls in progress.
    init(_ total: Int) {
        state = Mutex(State(total: max(1, total)))
    }

    var load: AppleLoad {
        state.withLock { state in
            AppleLoad(calls: state.used, waiting: state.queues.values.reduce(0) { $0 + $1.count }, waited: state.waited)
        }
    }

    /// Takes a place. The caller must return it with `giveBack`.
    ///
    /// - Parameter deadline: The latest time to wait for a place.
    /// - Throws: `busy` if no place became free in time; `cancelled`.
    func take(_ share: AppleShare, by deadline: ContinuousClock.Instant) async throws(AppleError) {
        // A place is almost always free, and then nothing is suspended.
        let number: UInt64? = state.withLock { state in
            if state.admit(share) { return nil }
            state.waited += 1
            state.lastNumber += 1
            return state.lastNumber
        }
        guard let number else { return }
        let timer = Task {
            try await Task.sleep(until: deadline)
            leave(number, of: share, .busy)
        }
        defer { timer.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // The check runs again under the lock, because a place, the deadline or a cancellation may have come in between.
                // A later one finds the waiter.
                let outcome: Outcome? = state.withLock { state in
                    if Task.isCancelled { return .refused(.cancelled) }
                    if state.admit(share) { return .granted }
                    if ContinuousClock.now >= deadline { return .refused(.busy) }
                    state.enqueue(Waiter(number: number, continuation: continuation), of: share)
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            leave(number, of: share, .cancelled)
        }
        if case .refused(let reason) = outcome { throw reason }
    }

    /// Returns a place and gives it to the next permitted call.
    func giveBack(_ share: AppleShare) {
        let admitted = state.withLock { state in
            state.release(share)
            return state.admitWaiting()
        }
        for waiter in admitted { waiter.continuation.resume(returning: .granted) }
    }

    /// Ends the wait of a call that still waits.
    private func leave(_ number: UInt64, of share: AppleShare, _ reason: AppleError) {
        let waiter = state.withLock { $0.remove(number, of: share) }
        waiter?.continuation.resume(returning: .refused(reason))
    }
}

extension ApplePlaces.State {
    /// Takes a place if the share may have another one.
    fileprivate mutating func admit(_ share: AppleShare) -> Bool {
        let (ofShare, ofConnection) = (byShare[share, default: 0], byConnection[share.connection, default: 0])
        guard ofShare + ofConnection < total - used else { return false }
        used += 1
        byShare[share] = ofShare + 1
        byConnection[share.connection] = ofConnection + 1
        return true
    }

    fileprivate mutating func release(_ share: AppleShare) {
        used -= 1
        // A share without a call is removed, so former tenants use no memory.
        byShare[share] = byShare[share].flatMap { $0 > 1 ? $0 - 1 : nil }
        byConnection[share.connection] = byConnection[share.connection].flatMap { $0 > 1 ? $0 - 1 : nil }
    }

    /// One pass finds all of them, because an admitted call makes no room for another.
    fileprivate mutating func admitWaiting() -> [ApplePlaces.Waiter] {
        guard !turns.isEmpty else { return [] }
        var (admitted, skipped, served): ([ApplePlaces.Waiter], [AppleShare], [AppleShare]) = ([], [], [])
        for share in turns {
            guard admit(share) else {
                skipped.append(share)
                continue
            }
            var queue = queues.removeValue(forKey: share) ?? []
            admitted.append(queue.removeFirst())
            guard !queue.isEmpty else { continue }
            queues[share] = queue
            served.append(share)
        }
        turns = skipped + served
        return admitted
    }

    fileprivate mutating func enqueue(_ waiter: ApplePlaces.Waiter, of share: AppleShare) {
        if queues[share] == nil { turns.append(share) }
        queues[share, default: []].append(waiter)
    }

    fileprivate mutating func remove(_ number: UInt64, of share: AppleShare) -> ApplePlaces.Waiter? {
        guard let index = queues[share]?.firstIndex(where: { $0.number == number }) else { return nil }
        let waiter = queues[share]?.remove(at: index)
        if queues[share]?.isEmpty == true {
            queues[share] = nil
            turns.removeAll { $0 == share }
        }
        return waiter
    }
}
