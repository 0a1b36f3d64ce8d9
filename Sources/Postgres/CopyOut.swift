/// A `COPY … TO STDOUT` that has not started. Each iterator runs it once.
struct CopyOut: AsyncSequence, Sendable {
    let sessions: DatabaseSessions
    let sql: SQL
    let prelude: [SQL]
    /// The bytes after which an element ends with a whole row. With 1, an element is one row.
    let size: Int

    func makeAsyncIterator() -> Iterator {
        Iterator(copy: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate let copy: CopyOut
        private var run: Run?
        private var isOver = false

        fileprivate init(copy: CopyOut) {
            self.copy = copy
        }

        mutating func next() async throws -> [UInt8]? {
            guard !isOver else { return nil }
            do {
                if run == nil { run = try await Run.begin(copy) }
                if let rows = try await run?.next(atLeast: copy.size) { return rows }
            } catch {
                (run, isOver) = (nil, true)
                throw error
            }
            (run, isOver) = (nil, true)
            return nil
        }
    }

    /// The session of a COPY in progress. An iterator that is dropped midway ends the session, because otherwise the
    /// server would send all remaining rows.
    @EventLoop
    final class Run {
        private let sessions: DatabaseSessions
        private let session: DatabaseSession
        private var isReturned = false

        private init(sessions: DatabaseSessions, session: DatabaseSession) {
            (self.sessions, self.session) = (sessions, session)
        }

        deinit {
            guard !isReturned else { return }
            let (sessions, session) = (sessions, session)
            Task { @EventLoop in
                session.abandon()
                sessions.giveBack(session)
            }
        }

        static func begin(_ copy: CopyOut) async throws -> Run {
            guard copy.sql.types.isEmpty else {
                throw DatabaseError(.misuse, "COPY accepts no bound values; set them in the prelude and read current_setting(…)")
            }
            let run = Run(sessions: copy.sessions, session: try await copy.sessions.lend())
            // One transaction around everything, so that the settings of the prelude are local to it.
            _ = try await run.session.run(["BEGIN READ ONLY"] + copy.prelude)
            try await run.cancellable { try await run.session.beginCopy(copy.sql.text) }
            return run
        }

        func next(atLeast size: Int) async throws -> [UInt8]? {
            if let rows = try await cancellable({ try await session.copiedRows(atLeast: size) }) { return rows }
            do {
                _ = try await session.run(["COMMIT"], isCancellable: false)
            } catch  where Task.isCancelled {
                // The cancellation came after the last row and has ended the session.
                throw CancellationError()
            }
            isReturned = true
            sessions.giveBack(session)
            return nil
        }

        private func cancellable<T: Sendable>(_ body: @EventLoop () async throws -> T) async throws -> T {
            try Task.checkCancellation()
            return try await withTaskCancellationHandler {
                do {
                    return try await body()
                } catch  where Task.isCancelled {
                    throw CancellationError()
                }
            } onCancel: {
                // By then, the session may belong to another caller.
                Task { @EventLoop in if !isReturned { session.abandon() } }
            }
        }
    }
}

extension DatabaseSession {
    /// Ends the session and its statement. Without this, the server may need minutes to notice that the client is
    /// gone.
    func abandon() {
        guard failure == nil else { return }
        requestCancellation()
        close(DatabaseError(.connection, "the statement was abandoned"))
    }
}
