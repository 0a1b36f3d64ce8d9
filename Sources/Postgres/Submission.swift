/// Statements that a task has submitted to a pool, from the wait for a session to the result.
///
/// The task is suspended once, until the result exists. Each further suspension would cost two switches of threads.
@EventLoop
final class Submission {
    private enum Stage {
        /// The task is not suspended yet.
        case new
        case waiting(DatabaseSessions.Waiter)
        case running(DatabaseSession, Batch)
        case over
    }

    private let sessions: DatabaseSessions
    private let statements: [SQL]
    private let prelude: Int
    private let deadline: ContinuousClock.Instant
    private var stage = Stage.new
    private var task: CheckedContinuation<[Rows], any Error>?
    private var isCancelled = false
    private var isRepeated = false

    /// - Parameters:
    ///   - prelude: The number of statements at the start whose results the caller does not need.
    ///   - deadline: The latest time to wait for a session.
    nonisolated init(_ statements: [SQL], prelude: Int, to sessions: DatabaseSessions, until deadline: ContinuousClock.Instant) {
        (self.statements, self.prelude, self.sessions, self.deadline) = (statements, prelude, sessions, deadline)
    }

    /// Runs the statements as one transaction. At most one task may call it, once.
    ///
    /// A cancelled task cancels the statements at the server. If they finished before, their results are still returned.
    /// - Throws: `DatabaseError`, `CancellationError`.
    nonisolated func result() async throws -> [Rows] {
        try Task.checkCancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { task in
                if EventLoopThread.shared.callAtOnce({ self.startAtOnce(task) }) { return }
                EventLoopThread.shared.call { self.start(task) }
            }
        } onCancel: {
            EventLoopThread.shared.call { self.cancel() }
        }
    }

    /// Sends the statements if a session is idle.
    private func startAtOnce(_ task: CheckedContinuation<[Rows], any Error>) -> Bool {
        guard !isCancelled, let session = sessions.takeWithoutInput() else { return false }
        self.task = task
        send(over: session)
        return true
    }

    private func start(_ task: CheckedContinuation<[Rows], any Error>) {
        self.task = task
        // The cancellation may come first.
        guard !isCancelled else { return finish(.failure(CancellationError())) }
        do {
            if let session = try sessions.takeIdle() {
                send(over: session)
            } else {
                stage = .waiting(try sessions.wait(until: deadline) { self.receive($0) })
            }
        } catch {
            finish(.failure(error))
        }
    }

    private func receive(_ session: Result<DatabaseSession, any Error>) {
        switch session {
        case .success(let session): send(over: session)
        case .failure(let error): finish(.failure(error))
        }
    }

    private func send(over session: DatabaseSession) {
        do {
            let batch = try session.send(statements)
            stage = .running(session, batch)
            batch.whenOver { self.end(batch, of: session) }
        } catch {
            sessions.giveBack(session)
            finish(.failure(error))
        }
    }

    private func end(_ batch: Batch, of session: DatabaseSession) {
        if !isRepeated, session.mayRepeat(batch) {
            isRepeated = true
            return send(over: session)
        }
        sessions.giveBack(session)
        finish(Result { try batch.outcome(prelude: prelude) })
    }

    private func finish(_ result: Result<[Rows], any Error>) {
        stage = .over
        task?.resume(with: result)
        task = nil
    }

    private func cancel() {
        isCancelled = true
        switch stage {
        case .waiting(let waiter): sessions.cancel(waiter)
        case .running(let session, let batch): session.cancel(batch)
        case .new, .over: break
        }
    }
}
