/// A `COPY … TO STDOUT` that has not started. Each iterator runs it once.
struct CopyOut: AsyncSequence, Sendable {
    let connections: DatabaseSessions
    let sql: SQL
    let prelude: [SQL]
    /// The maximum bytes of rows per element. With 1, an element is one row.
    let limit: Int

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
                if let rows = try await run?.next(upTo: copy.limit) { return rows }
            } catch {
                (run, isOver) = (nil, true)
                throw error
            }
            (run, isOver) = (nil, true)
            return nil
        }
    }

    /// The connection of a COPY in progress. An iterator that is dropped midway ends the connection, because otherwise the
    /// server would send all remaining rows.
    @EventLoop
    final class Run {
        private let connections: DatabaseSessions
        private let connection: DatabaseSession
        private var isReturned = false

        private init(connections: DatabaseSessions, connection: DatabaseSession) {
            (self.connections, self.connection) = (connections, connection)
        }

        deinit {
            guard !isReturned else { return }
            let (connections, connection) = (connections, connection)
            Task { @EventLoop in
                connection.abandon()
                connections.giveBack(connection)
            }
        }

        static func begin(_ copy: CopyOut) async throws -> Run {
            guard copy.sql.parameters.isEmpty else {
                throw DatabaseError(.misuse, "COPY accepts no bound values; set them in the prelude and read current_setting(…)")
            }
            let run = Run(connections: copy.connections, connection: try await copy.connections.lend())
            // One transaction around everything, so that the settings of the prelude are local to it.
            _ = try await run.connection.run(["BEGIN READ ONLY"] + copy.prelude)
            try await run.cancellable { try await run.connection.beginCopy(copy.sql.text) }
            return run
        }

        func next(upTo limit: Int) async throws -> [UInt8]? {
            if let rows = try await cancellable({ try await connection.copiedRows(upTo: limit) }) { return rows }
            _ = try await connection.run(["COMMIT"], isCancellable: false)
            isReturned = true
            connections.giveBack(connection)
            return nil
        }

        private func cancellable<T: Sendable>(_ body: @EventLoop () async throws -> T) async throws -> T {
            let connection = connection
            try Task.checkCancellation()
            return try await withTaskCancellationHandler {
                do {
                    return try await body()
                } catch  where Task.isCancelled {
                    throw CancellationError()
                }
            } onCancel: {
                Task { @EventLoop in connection.abandon() }
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
