import Synchronization

/// Cancels a task that waits too long for the reader of its response. Otherwise a caller that stops reading would hold its place
/// indefinitely. The time of other work does not count, because it has limits of its own.
final class StallWatch: Sendable {
    private struct Watched: @unchecked Sendable {
        let task: UnsafeCurrentTask
    }

    private struct State {
        /// Nil while nothing is being sent.
        var sendingSince: ContinuousClock.Instant?
        /// Nil after the work. The task may be canceled only during the work.
        var watched: Watched?
    }

    private let state = Mutex(State())

    /// Sends a part of the response.
    func send(_ part: () async throws -> Void) async throws {
        state.withLock { $0.sendingSince = .now }
        defer { state.withLock { $0.sendingSince = nil } }
        try await part()
    }

    /// Runs the work, and cancels the calling task if a part takes between one and two times the limit.
    static func run(limit: Duration, _ body: (StallWatch) async throws -> Void) async throws {
        let watch = StallWatch()
        try await withUnsafeCurrentTask { task in
            let watched = task.map(Watched.init)
            watch.state.withLock { $0.watched = watched }
            // One timer for all parts, which are many.
            let timer = Task { try await watch.wait(limit) }
            defer {
                timer.cancel()
                watch.state.withLock { $0.watched = nil }
            }
            try await body(watch)
        }
    }

    private func wait(_ limit: Duration) async throws {
        var isStalled = false
        while !isStalled {
            try await Task.sleep(for: limit)
            isStalled = state.withLock { state in
                guard let since = state.sendingSince, since + limit <= .now else { return false }
                state.watched?.task.cancel()
                return true
            }
        }
    }
}
