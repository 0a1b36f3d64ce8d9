import Synchronization

/// Cancels a task that makes no progress. Otherwise a caller that stops reading would hold its place indefinitely.
final class StallWatch: Sendable {
    private struct Watched: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private struct State {
        var steps = 0
        /// Nil after the work. The task may be canceled only during the work.
        var watched: Watched?
    }

    private let state = Mutex(State())

    /// Records progress.
    func step() {
        state.withLock { $0.steps += 1 }
    }

    /// Runs the work, and cancels the calling task if there is no step within the limit.
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
