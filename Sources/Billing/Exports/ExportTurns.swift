import Postgres
import Synchronization
import Web

/// The turns of exports. Few exports work at a time, and a turn starts while no login uses the database.
///
/// On a machine with few processors, a login waits for one while exports read and write. So a turn takes a few milliseconds, and the next turn
/// waits until the logins that have started since then have ended.
final class ExportTurns: Sendable {
    private struct Waiter {
        let id: Int
        let isSent: Bool
        let receive: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var free: Int
        var waiting: [Waiter] = []
        var lastID = 0
        /// Whether the last turn that was handed on was one of a file that is sent.
        var lastIsSent = true

        /// First come, first served, in each of two queues that alternate. So a caller without a byte waits for at most one turn that is sent
        /// before each of its own.
        mutating func takeNext() -> Waiter? {
            guard let index = waiting.firstIndex(where: { $0.isSent != lastIsSent }) ?? waiting.indices.first else { return nil }
            let next = waiting.remove(at: index)
            lastIsSent = next.isSent
            return next
        }
    }

    private let logins: DatabasePool
    private let quietTime: Duration
    private let longestWait: Duration
    private let waitingTime: Duration
    private let state: Mutex<State>

    /// - Parameters:
    ///   - count: the number of turns at a time.
    ///   - logins: the pool whose use has precedence.
    ///   - quietTime: how long the pool must have been unused. A login has several requests, and the pool is unused between them.
    ///   - longestWait: the longest wait for logins, so that exports also continue while logins run all the time.
    ///   - waitingTime: the longest wait for a turn. Without a database, each turn lasts long.
    init(
        count: Int, before logins: DatabasePool, quietTime: Duration = .milliseconds(10), longestWait: Duration = .milliseconds(50),
        waitingTime: Duration = .seconds(60)
    ) {
        (self.logins, self.quietTime, self.longestWait, self.waitingTime) = (logins, quietTime, longestWait, waitingTime)
        state = Mutex(State(free: count))
    }

    /// The number of callers that wait for a turn.
    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Waits for a turn, then for logins, and works.
    /// - Parameter isSent: whether the caller receives the result. Otherwise it waits for its first byte, for which a proxy has a time limit.
    ///   So the wait for logins is a tenth.
    /// - Throws: the errors of `work`, `CancellationError`, and `Problem` (503) if no turn became free in time.
    func run<R>(isSent: Bool, _ work: () async throws -> R) async throws -> R {
        try await begin(isSent: isSent)
        defer { end() }
        try await waitForLogins(until: .now + (isSent ? longestWait : longestWait / 10))
        return try await work()
    }

    private func begin(isSent: Bool) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        let hasTurn = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let hasTurn: Bool? = state.withLock { state in
                    guard !Task.isCancelled else { return false }
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append(Waiter(id: id, isSent: isSent, receive: continuation))
                    return nil
                }
                if let hasTurn { return continuation.resume(returning: hasTurn) }
                timer = Task {
                    try await Task.sleep(for: waitingTime)
                    giveUp(id)
                }
            }
        } onCancel: {
            giveUp(id)
        }
        guard !hasTurn else { return }
        try Task.checkCancellation()
        throw Problem(.unavailable, "Other exports wait for the database. Retry in a few seconds.")
    }

    private func giveUp(_ id: Int) {
        let waiter: Waiter? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiting.remove(at: index)
        }
        waiter?.receive.resume(returning: false)
    }

    private func end() {
        let next: Waiter? = state.withLock { state in
            let next = state.takeNext()
            if next == nil { state.free += 1 }
            return next
        }
        next?.receive.resume(returning: true)
    }

    private func waitForLogins(until end: ContinuousClock.Instant) async throws {
        try Task.checkCancellation()
        while case let now = ContinuousClock.now, now < end {
            let quiet = await logins.lastUse + quietTime
            guard quiet > now else { return }
            try await Task.sleep(until: min(quiet, end), clock: .continuous)
        }
    }
}
