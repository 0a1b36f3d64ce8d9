package import Logging
import ServiceLifecycle

/// DatabaseSessions to one database, lent out for a statement or a transaction at a time.
///
/// It works as soon as it exists, and opens connections when they are needed. `run()`, for a `ServiceGroup`, adds that a
/// minimum is kept open, and that a graceful shutdown waits for what is in flight.
package final class DatabasePool: Service, Sendable {
    package struct Configuration: Sendable {
        /// A libpq URI or conninfo string; several hosts and `target_session_attrs=read-write` follow a failover.
        package var url: String
        /// Kept open while `run()` runs, and never closed for being idle.
        package var minimumConnections = 1
        package var maximumConnections = 16
        /// How many callers may wait for a connection; one more is refused at once.
        package var maximumWaiting = 1024
        /// How long a caller waits for a connection.
        package var waitingTime = Duration.seconds(5)
        /// How long a connection may be idle before it is closed.
        package var idleTime = Duration.seconds(60)
        /// PostgreSQL's `statement_timeout`; zero for none. Exceeded: SQLSTATE 57014.
        package var statementTimeout = Duration.seconds(10)
        /// PostgreSQL's `lock_timeout`; zero for none. Exceeded: SQLSTATE 55P03.
        package var lockTimeout = Duration.seconds(5)
        /// PostgreSQL's `idle_in_transaction_session_timeout`; zero for none. Exceeded: the connection is lost.
        package var idleInTransactionTimeout = Duration.seconds(30)
        /// Further settings of each session, name and value.
        package var settings: [(String, String)] = []
        /// Shown in `pg_stat_activity`, unless the URL names another.
        package var applicationName: String?

        package init(url: String, maximumConnections: Int = 16, applicationName: String? = nil) {
            (self.url, self.maximumConnections, self.applicationName) = (url, maximumConnections, applicationName)
        }
    }

    private let connections: DatabaseSessions
    private let parameters: ConnectionParameters
    private let logger: Logger

    /// - Throws: `DatabaseError` of kind `.misuse` for a URL that libpq does not understand.
    package init(_ configuration: Configuration, logger: Logger) throws {
        parameters = try ConnectionParameters(
            url: configuration.url, applicationName: configuration.applicationName,
            settings: [
                ("timezone", "UTC"),
                ("statement_timeout", configuration.statementTimeout.inMilliseconds),
                ("lock_timeout", configuration.lockTimeout.inMilliseconds),
                ("idle_in_transaction_session_timeout", configuration.idleInTransactionTimeout.inMilliseconds),
            ] + configuration.settings,
            answerLimit: configuration.statementTimeout == .zero ? nil : configuration.statementTimeout + .seconds(5))
        connections = DatabaseSessions(configuration, parameters: parameters, logger: logger)
        self.logger = logger
    }

    deinit {
        let connections = connections
        Task { @EventLoop in connections.close() }
    }

    /// Keeps the minimum of connections open until a graceful shutdown, then lends no more, and returns when the last
    /// connection has come back and is closed.
    package func run() async throws {
        await connections.keepMinimum()
        // Cancelled instead of shut down: close all the same.
        try? await gracefulShutdown()
        await connections.close()
        await connections.drain()
    }

    // MARK: Statements

    /// Runs statements in one round trip as one transaction: all or nothing.
    /// - Parameter prelude: statements that go first in the same transaction and round trip, as `SELECT set_config(…, true)`.
    /// - Returns: the results of `statements`, without those of `prelude`.
    /// - Throws: `DatabaseError`; `CancellationError` when the task is cancelled and the statements are with it.
    package func run(_ statements: [SQL], prelude: [SQL] = []) async throws -> [Rows] {
        try await connections.run(prelude.isEmpty ? statements : prelude + statements, prelude: prelude.count)
    }

    /// Runs one statement as a transaction of its own, in one round trip.
    /// - Throws: as for several.
    package func run(_ statement: SQL, prelude: [SQL] = []) async throws -> Rows {
        try await run([statement], prelude: prelude)[0]
    }

    // MARK: Transactions

    package enum Isolation: String, Sendable {
        case readCommitted = "READ COMMITTED"
        case repeatableRead = "REPEATABLE READ"
        case serializable = "SERIALIZABLE"
    }

    /// Runs `body` in a transaction that is committed when it returns, and rolled back when it throws or its task is cancelled.
    ///
    /// BEGIN and `prelude` travel with the body's first statement, so a transaction costs its statements' round trips and one
    /// for COMMIT; a body that runs nothing costs none.
    /// - Throws: what `body` throws, `DatabaseError`, `CancellationError`. When COMMIT is lost with its connection (kind
    ///   `.connection`), the transaction may have been committed.
    package func transaction<R: Sendable>(
        readOnly: Bool = false, isolation: Isolation = .readCommitted, prelude: [SQL] = [],
        _ body: @Sendable (Transaction) async throws -> R
    ) async throws -> R {
        let begin = SQL(unsafe: "BEGIN ISOLATION LEVEL \(isolation.rawValue)\(readOnly ? " READ ONLY" : "")")
        let transaction = Transaction(try await connections.begin([begin] + prelude))
        do {
            let result = try await body(transaction)
            try Task.checkCancellation()
            try await transaction.state.commit()
            await connections.end(transaction.state)
            return result
        } catch {
            await transaction.state.rollBack()
            await connections.end(transaction.state)
            throw error
        }
    }

    // MARK: Streams

    /// The output of `COPY … TO STDOUT`, no faster than it is read: row by row, or several whole rows at a time, which for millions of
    /// them is many times quicker.
    ///
    /// A connection is lent from the first element to the end, an error, or the iterator's disappearance. COPY takes no
    /// parameters: a statement with bound values fails with kind `.misuse`; put the values into settings by `prelude`, and
    /// read them with `current_setting`.
    ///
    /// - Parameter limit: how many bytes an element may hold before the next begins; without it each is a row.
    package func copyOut(_ sql: SQL, prelude: [SQL] = [], upTo limit: Int = 1) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        CopyOut(connections: connections, sql: sql, prelude: prelude, limit: limit)
    }

    /// Notifications on channels, over a connection of its own that is opened again, for ever, when it is lost.
    ///
    /// It begins to listen when the sequence is made. Whoever keeps a cache by it empties it at `.connected` and `.disconnected`, since
    /// notifications are lost while nobody listens. It ends with the task that reads it.
    package func listen(_ channels: [String]) -> some AsyncSequence<Listening, Never> & Sendable {
        Listener.events(of: channels, parameters: parameters, logger: logger)
    }
}

extension Duration {
    /// What PostgreSQL's time limits are given in; rounded up, since 0 would be no limit.
    fileprivate var inMilliseconds: String {
        String(Int64((self / .milliseconds(1)).rounded(.up)))
    }
}
