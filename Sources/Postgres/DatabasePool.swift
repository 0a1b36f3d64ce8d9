package import Logging
import ServiceLifecycle

/// Sessions of one database, lent out for a statement or a transaction at a time.
///
/// The pool works without `run()` and opens sessions on demand. `run()`, for a `ServiceGroup`, holds a minimum of
/// sessions open, and makes a graceful shutdown wait for statements in progress.
package final class DatabasePool: Service, StatementRunner {
    package struct Configuration: Sendable {
        /// A libpq URI or conninfo string. Several hosts and `target_session_attrs=read-write` follow a failover.
        package var url: String
        /// The number of sessions that stay open while `run()` runs, even if they are idle.
        package var minimumConnections = 1
        package var maximumConnections = 16
        /// The maximum number of callers that wait for a session. Further callers fail at once.
        package var maximumWaiting = 1024
        /// The time that a caller waits for a session.
        package var waitingTime = Duration.seconds(5)
        /// The time after which an idle session is closed.
        package var idleTime = Duration.seconds(60)
        /// The time after which a session is closed, even if it is in use regularly. So the load of a pooler or a balancer spreads again,
        /// and the memory of a session is limited. A random part of up to a fifth is subtracted.
        package var maximumAge = Duration.seconds(1800)
        /// The longest time in which COPY receives nothing.
        package var copyProgressLimit = Duration.seconds(60)
        /// PostgreSQL's `statement_timeout`; zero for none. A longer statement fails with SQLSTATE 57014.
        package var statementTimeout = Duration.seconds(10)
        /// PostgreSQL's `lock_timeout`; zero for none. A longer wait fails with SQLSTATE 55P03.
        package var lockTimeout = Duration.seconds(5)
        /// PostgreSQL's `idle_in_transaction_session_timeout`; zero for none. After a longer idle time, the
        /// session is lost.
        package var idleInTransactionTimeout = Duration.seconds(30)
        /// Further settings of each session, name and value.
        package var settings: [(String, String)] = []
        /// Shown in `pg_stat_activity`, unless the URL contains another name.
        package var applicationName: String?

        package init(url: String, maximumConnections: Int = 16, applicationName: String? = nil) {
            (self.url, self.maximumConnections, self.applicationName) = (url, maximumConnections, applicationName)
        }
    }

    private let sessions: DatabaseSessions
    private let connector: Connector
    private let logger: Logger

    /// - Throws: `DatabaseError` of kind `.misuse` for a URL that libpq cannot parse.
    package init(_ configuration: Configuration, logger: Logger) throws {
        let parameters = try ConnectionParameters(
            url: configuration.url, applicationName: configuration.applicationName,
            settings: [
                ("timezone", "UTC"),
                ("statement_timeout", configuration.statementTimeout.inMilliseconds),
                ("lock_timeout", configuration.lockTimeout.inMilliseconds),
                ("idle_in_transaction_session_timeout", configuration.idleInTransactionTimeout.inMilliseconds),
            ] + configuration.settings,
            answerLimit: configuration.statementTimeout == .zero ? nil : configuration.statementTimeout + DatabaseSession.answerTime,
            progressLimit: configuration.copyProgressLimit)
        connector = Connector(parameters)
        sessions = DatabaseSessions(configuration, connector: connector, logger: logger)
        self.logger = logger
    }

    deinit {
        let sessions = sessions
        Task { @EventLoop in sessions.close() }
    }

    /// Holds the minimum of sessions open until a graceful shutdown. Then it lends no more, and returns when the
    /// last session has been returned and closed.
    package func run() async throws {
        await sessions.maintainMinimum()
        // If the task is cancelled instead of shut down, the sessions are closed too.
        try? await gracefulShutdown()
        await sessions.close()
        await sessions.drain()
    }

    /// The numbers of a pool at one moment.
    package struct Load: Sendable {
        /// Open sessions that no caller uses.
        package let idle: Int
        /// Sessions that callers use.
        package let lent: Int
        /// Callers that wait for a session.
        package let waiting: Int
        /// Callers that got no session, because they waited too long or too many waited, since the start of the process.
        package let refused: Int
    }

    package var load: Load {
        get async { await sessions.load }
    }

    /// When a caller last used a session: now, while one is lent or a caller waits.
    package var lastUse: ContinuousClock.Instant {
        get async { await sessions.lastUse }
    }

    package var maximumConnections: Int { sessions.configuration.maximumConnections }

    // MARK: Statements

    /// Runs statements in one round trip as one transaction: all or nothing. If the server rejects them because it stops or no longer accepts
    /// changes, they are sent again over another connection, until the waiting time is over.
    package func run(_ statements: [SQL]) async throws -> [Rows] {
        try await run(statements, prelude: [])
    }

    /// Runs statements in one round trip as one transaction: all or nothing.
    /// - Parameters:
    ///   - prelude: Statements that come first in the same transaction and round trip, such as `SELECT set_config(…, true)`.
    ///   - isRepeatable: Whether the statements may take effect twice without a difference, or recognize their own first effect. Then they
    ///     are also repeated after a connection was lost without an answer. An error of a repetition has `isAfterLoss`.
    /// - Returns: The results of `statements`, without those of `prelude`.
    /// - Throws: `DatabaseError`; `CancellationError` if the task is cancelled and the statements with it.
    package func run(_ statements: [SQL], prelude: [SQL], isRepeatable: Bool = false) async throws -> [Rows] {
        try await sessions.run(
            prelude.isEmpty ? statements : prelude + statements, prelude: prelude.count, isRepeatable: isRepeatable)
    }

    /// Runs one statement as its own transaction, in one round trip.
    /// - Throws: The same errors as for several statements.
    package func run(_ statement: SQL, prelude: [SQL]) async throws -> Rows {
        try await run([statement], prelude: prelude)[0]
    }

    /// Runs a batch as one transaction, in one round trip.
    /// - Throws: The same errors as for several statements.
    package func run(_ batch: Statements, prelude: [SQL]) async throws -> Statements.Results {
        Statements.Results(try await run(batch.list, prelude: prelude), of: batch)
    }

    // MARK: Transactions

    /// Runs `body` in a transaction. The transaction is committed when `body` returns, and rolled back when it throws or its
    /// task is cancelled.
    ///
    /// If the server stops before COMMIT is sent, `body` is called again with a new transaction, until the waiting time of the pool is over.
    /// So `body` should change nothing but the database.
    ///
    /// BEGIN and `prelude` go with the body's first statement. So a transaction costs the round trips of its statements and one
    /// for COMMIT. A body without statements costs none.
    /// - Throws: The errors of `body`, `DatabaseError`, `CancellationError`. If the connection is lost during COMMIT (kind
    ///   `.connection`), the transaction may have been committed.
    package func transaction<R: Sendable>(
        prelude: [SQL] = [], _ body: @Sendable (Transaction) async throws -> R
    ) async throws -> R {
        try await sessions.retrying { deadline in
            try await sessions.transaction(["BEGIN ISOLATION LEVEL READ COMMITTED"] + prelude, until: deadline, body)
        }
    }

    // MARK: Streams

    /// Returns the output of `COPY … TO STDOUT`, no faster than it is read. An element is one row or several whole rows. For millions
    /// of rows, several rows per element are many times faster.
    ///
    /// A session is lent from the first element to the end, an error, or the end of the iterator. COPY accepts no parameters, so a
    /// statement with bound values fails with kind `.misuse`. Put the values into settings with `prelude`, and read them with
    /// `current_setting`.
    ///
    /// - Parameter size: The bytes after which an element ends with a whole row. An element arrives when it has them, or at the end.
    ///   With 1, each element is one row.
    package func copyOut(_ sql: SQL, prelude: [SQL] = [], atLeast size: Int = 1) -> some AsyncSequence<[UInt8], any Error> & Sendable {
        CopyOut(sessions: sessions, sql: sql, prelude: prelude, size: size)
    }

    /// Returns notifications of channels, in a session of their own. A lost session is opened again, indefinitely. A session that is too old is
    /// replaced, and the next one listens before it ends.
    ///
    /// Listening starts when the sequence is created. A caller that maintains a cache must empty it at `.connected` and
    /// `.disconnected`, because notifications get lost without a listener. The sequence ends with the task that reads it.
    package func listen(_ channels: [String]) -> some AsyncSequence<Listening, Never> & Sendable {
        Listener.events(of: channels, over: connector, maximumAge: sessions.configuration.maximumAge, logger: logger)
    }
}

extension Duration {
    /// Milliseconds, the unit of PostgreSQL's time limits. Rounded up, because 0 means no limit.
    var inMilliseconds: String {
        String(Int64((self / .milliseconds(1)).rounded(.up)))
    }
}
