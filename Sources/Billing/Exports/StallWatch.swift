import Synchronization

/// Ends a task that makes no progress: a caller that takes nothing any more would keep its place for ever.
final class StallWatch: Sendable {
    private struct Watched: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private struct State {
        var steps = 0
        /// Nil when the work is over. A task may be cancelled from elsewhere only as long as it is at the work.
        var watched: Watched?
    }

    private let state = Mutex(State())

    /// Something was done.
    func step() {
        state.withLock { $0.steps += 1 }
    }

    /// Does the work, and cancels the task that asked for it when there is no step for so long.
    static func run(limit: Duration, _ body: (StallWatch) async throws -> Void) async throws {
        let watch = StallWatch()
        try await withUnsafeCurrentTask { task in
            let watched = task.map(Watched.init)
            watch.state.withLock { $0.watched = watched }
            let timer = Task { try await watch.wait(limit) }
            defer {
                timer.cancel()
                watch.state.withLock { $0.watched = nil }
            }
            try await body(watch)
        }
    }

    private func wait(_ limit: Duration) async throws {
        var seen = -1
        while true {
            let isAlive = state.withLock { state in
                guard state.steps != seen else {
                    state.watched?.task.cancel()
                    return false
                }
                seen = state.steps
                return true
            }
            guard isAlive else { return }
            try await Task.sleep(for: limit)
        }
    }
}
