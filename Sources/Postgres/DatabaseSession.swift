import CLibPQ

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// One session of PostgreSQL, in libpq's pipeline mode. It sends statements without waiting for the answers of earlier ones.
///
/// One caller borrows it at a time. But a transaction's body may run statements concurrently; they queue up here.
///
/// Under a task executor preference, each call of an async function and each return from it is a suspension, even within the loop. In the
/// meantime, the session may be closed, and libpq's connection with it. So the code checks this again after each suspension, in the same
/// synchronous part as the use.
@EventLoop
final class DatabaseSession: StatementRunner {
    let link: OpaquePointer
    let server: ServerAddress
    /// The time when the server started, if the URL names several servers with one primary. It identifies the server: two names can lead to
    /// the same one, and behind a proxy, an address can lead to another one than before.
    var startOfServer: String?
    /// The server's process, as it named itself at the start.
    let process: Int32
    private(set) var watch: EventLoopThread.Watch?
    private var statements = PreparedStatements()
    /// The batches that were sent and not yet answered, in order.
    private var batches: [Batch] = []
    /// The reason why the session is no longer usable.
    private(set) var failure: DatabaseError?
    /// Called once, when the session has ended.
    var onClose: (@EventLoop (DatabaseSession) -> Void)?
    /// Called when data arrives that no batch waits for: a notification.
    var onNotification: (@EventLoop (_ channel: String, _ payload: String) -> Void)?
    /// Called when the server has not answered for a second, and then after twice the time, and so on.
    var onSilence: (@EventLoop () -> Void)?
    /// The number of cancel requests in progress. They could hit any statement that runs when they arrive.
    var cancellations = 0
    var afterCancellations: [Promise<Void>] = []
    /// Outside of pipeline mode: the task that waits for the socket, and the time since which it waits.
    private var direct: (task: Promise<Void>, since: ContinuousClock.Instant)?
    var isDirect = false
    /// BEGIN and the statements of its prelude, which go before the next ones in the same round trip. The call that sends the next ones takes
    /// them. So no statement of a transaction precedes its BEGIN, even if the task of the first one is cancelled.
    var opening: [SQL] = []
    /// The batch that took `opening`.
    private var beginning: Batch?
    /// The number of loans that have ended.
    private(set) var loan = 0
    /// The time since which no caller has borrowed the session.
    var idleSince = ContinuousClock.now
    /// The time after which no caller may borrow it.
    var expiresAt = ContinuousClock.now
    /// Whether the server accepts no more changes, or is stopping.
    private(set) var isDemoted = false

    private let progressLimit: Duration?
    private let answerLimit: Duration?
    /// The time limit of statements if the transaction has changed it.
    var longestStatement: Duration?
    /// The time that the server has to report a statement that exceeded its limit. A frozen server does not report it.
    nonisolated static let answerTime = Duration.seconds(5)
    private var answerTimer: EventLoop.Timer?
    /// The time of the server's last answer to a statement.
    private var lastAnswer = ContinuousClock.now
    /// The time without an answer after which `onSilence` is called next.
    private var reportedSilence = DatabaseSession.shortestSilence
    private static let shortestSilence = Duration.seconds(1)

    private init(_ link: Connector.Link, _ parameters: ConnectionParameters) {
        (self.link, server, process) = (link.pointer, link.server, PQbackendPID(link.pointer))
        (answerLimit, progressLimit) = (parameters.answerLimit, parameters.progressLimit)
    }

    // MARK: Opening and closing

    /// Connects.
    /// - Throws: `DatabaseError` of kind `.connection`, `CancellationError`.
    static func open(_ connector: Connector) async throws -> DatabaseSession {
        let link = try await connector.connect()
        guard PQsetnonblocking(link.pointer, 1) == 0, PQenterPipelineMode(link.pointer) == 1 else {
            PQfinish(link.pointer)
            throw DatabaseError(.connection, "the connection could not be prepared")
        }
        let session = DatabaseSession(link, connector.parameters)
        session.start()
        try await session.identify(connector.parameters)
        return session
    }

    /// Whether both sessions are with the same server. Unless the URL names several servers with one primary, any two count as such.
    func isWithServer(of other: DatabaseSession) -> Bool { startOfServer == other.startOfServer }

    private func start() {
        // Otherwise, libpq prints notices to stderr, and they may quote values.
        PQsetNoticeReceiver(link, { _, _ in }, nil)
        let watch = EventLoopThread.Watch(socket: PQsocket(link)) { self.socketIsReady() }
        EventLoopThread.shared.add(watch)
        self.watch = watch
    }

    /// Ends the session at once. Statements in progress fail with `failure`.
    func close(_ failure: DatabaseError = DatabaseError(.connection, "the connection was closed")) {
        guard self.failure == nil else { return }
        self.failure = failure
        if let watch { EventLoopThread.shared.remove(watch) }
        watch = nil
        answerTimer?.cancel()
        answerTimer = nil
        PQfinish(link)
        let unanswered = batches
        batches = []
        endDirectWait()
        for waiting in afterCancellations { waiting.fulfill() }
        afterCancellations = []
        onClose?(self)
        onClose = nil
        (onNotification, onSilence) = (nil, nil)
        // At the end, because a caller may return the session at once.
        for batch in unanswered {
            batch.fail(failure)
            batch.finish()
        }
    }

    /// Whether the next caller may borrow it. The server may have closed it since the loop last read its socket (`hasInput`).
    var isFit: Bool {
        failure == nil && !isDemoted && batches.isEmpty && !isDirect && PQtransactionStatus(link) == PQTRANS_IDLE
    }

    /// Whether a transaction is open, and whether it has failed.
    var transactionStatus: PGTransactionStatusType { failure == nil ? PQtransactionStatus(link) : PQTRANS_UNKNOWN }

    /// Whether the socket has data to read, or the server has closed it.
    var hasInput: Bool {
        var byte: UInt8 = 0
        return recv(PQsocket(link), &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    // MARK: Statements

    /// Runs statements in one round trip. Outside of an open transaction, they are one transaction: all or nothing.
    ///
    /// A cancelled task cancels them at the server. If they finished before, their results are still returned.
    /// - Parameters:
    ///   - isCancellable: False for a statement that must be completed, such as a COMMIT.
    ///   - loan: The loan that the statements belong to. After its end, they are not sent.
    /// - Throws: `DatabaseError`, `CancellationError`.
    func run(_ statements: [SQL], isCancellable: Bool, of loan: Int? = nil) async throws -> [Rows] {
        if isCancellable { try Task.checkCancellation() }
        var batch = try await runOnce(statements, isCancellable: isCancellable, of: loan)
        if mayRepeat(batch) { batch = try await runOnce(statements, isCancellable: isCancellable, of: loan) }
        return try batch.outcome()
    }

    /// Whether a batch failed only because a prepared statement must be prepared again. The session is idle again, so it was an implicit
    /// transaction that was rolled back completely.
    func mayRepeat(_ batch: Batch) -> Bool {
        batch.isStale && transactionStatus == PQTRANS_IDLE && !batch.isCancelled
    }

    func run(_ statements: [SQL]) async throws -> [Rows] {
        try await run(statements, isCancellable: true)
    }

    private func runOnce(_ statements: [SQL], isCancellable: Bool, of loan: Int?) async throws -> Batch {
        while failure == nil {
            if cancellations > 0 {
                // A cancel request in progress would hit this batch instead of its target.
                let end = Promise<Void>()
                afterCancellations.append(end)
                await end.wait()
            } else if loan != nil, let beginning, !beginning.isOver {
                // If BEGIN fails, this batch would be a transaction of its own.
                await beginning.wait()
            } else {
                break
            }
        }
        if let loan {
            guard loan == self.loan else { throw DatabaseError(.misuse, "the transaction is over") }
            if opening.isEmpty, transactionStatus == PQTRANS_IDLE {
                throw DatabaseError(.server, "the transaction has not begun or is over", sqlState: "25P01")
            }
        }
        let batch = try send(statements)
        guard isCancellable else {
            await batch.wait()
            return batch
        }
        await withTaskCancellationHandler {
            await batch.wait()
        } onCancel: {
            EventLoopThread.shared.call { self.cancel(batch) }
        }
        return batch
    }

    /// Rejects statements of the present loan that were not sent yet.
    func endLoan() {
        loan += 1
        beginning = nil
    }

    /// Sends statements. Their results are read on the loop.
    func send(_ statements: [SQL]) throws -> Batch {
        if var failure {
            // Nothing is sent.
            failure.mayRetry = true
            throw failure
        }
        let batch = Batch(opening: opening.count)
        var statements = statements[...]
        if let begin = opening.first {
            // It is not prepared, because a session that has lost its statements would reject it and accept the next batch.
            try check(PQsendQueryParams(link, begin.text, 0, nil, nil, nil, nil, 1))
            batch.append(.begin)
            statements = opening.dropFirst() + statements
            opening = []
            beginning = batch
        }
        var preparing: [PreparedStatements.Key: String] = [:]
        for statement in statements {
            let key = PreparedStatements.Key(statement)
            var name = self.statements.name(for: key) ?? preparing[key]
            if name == nil {
                let new = self.statements.newName()
                try check(PQsendPrepare(link, new, statement.text, Int32(key.types.count), key.types))
                batch.append(.prepare(key, name: new))
                preparing[key] = new
                name = new
            }
            let sent = statement.withParameters { count, values, lengths, formats in
                PQsendQueryPrepared(link, name, count, values, lengths, formats, 1)
            }
            try check(sent)
            batch.append(.query(key))
        }
        // At the end, because nothing may precede a BEGIN. In a failed transaction, the server rejects everything except ROLLBACK.
        if PQtransactionStatus(link) != PQTRANS_INERROR {
            for name in self.statements.takeDiscarded() {
                try check(PQsendQueryParams(link, "DEALLOCATE \(name)", 0, nil, nil, nil, nil, 1))
                batch.append(.deallocate(name: name))
            }
        }
        try check(PQpipelineSync(link))
        batches.append(batch)
        watchAnswers()
        flush()
        return batch
    }

    /// If libpq rejects a send, the pipeline is only half written. So the session must be closed.
    private func check(_ status: Int32) throws {
        guard status != 1 else { return }
        close(DatabaseError(.connection, "the statements could not be sent"))
        throw failure!
    }

    /// The time since which the server owes an answer; nil if it owes none. The time since its last answer counts, because each statement
    /// has its own limit. Outside of pipeline mode, the time during which this side reads nothing does not count.
    private var silentSince: ContinuousClock.Instant? { direct?.since ?? batches.first.map { max($0.sentAt, lastAnswer) } }

    private var silenceLimit: Duration? { isDirect ? progressLimit : longestStatement.map { $0 + Self.answerTime } ?? answerLimit }

    var isSilent: Bool { silentSince.map { $0 + Self.shortestSilence <= .now } ?? false }

    /// At most one timer per session, not one per batch. It starts with the wait for an answer, and runs again while the session waits for
    /// more.
    private func watchAnswers() {
        guard answerTimer == nil, let silentSince else { return }
        let report = silentSince + reportedSilence
        answerTimer = EventLoop.after(min(report, silenceLimit.map { silentSince + $0 } ?? report) - .now) { [weak self] in
            guard let self else { return }
            answerTimer = nil
            guard let silentSince = self.silentSince else { return }
            if let silenceLimit, silentSince + silenceLimit <= .now {
                return close(DatabaseError(.connection, "the server sent nothing for \(silenceLimit)"))
            }
            if silentSince + reportedSilence <= .now {
                reportedSilence *= 2
                onSilence?()
            }
            watchAnswers()
        }
    }

    // MARK: The socket

    private func flush() {
        switch PQflush(link) {
        case 0: if watch?.wantsToWrite == true { watch?.wantsToWrite = false }
        case 1: if watch?.wantsToWrite == false { watch?.wantsToWrite = true }
        default: lost()
        }
    }

    private func socketIsReady() {
        guard failure == nil else { return }
        if watch?.wantsToWrite == true { flush() }
        guard failure == nil else { return }
        if isDirect {
            // Otherwise, `poll` would return at once, again and again, until the reader continues.
            watch?.wantsToRead = false
            return endDirectWait()
        }
        let isOpen = PQconsumeInput(link) == 1
        // Only an answer ends the silence. A notification of another transaction does not.
        if !batches.isEmpty, PQisBusy(link) == 0 { (lastAnswer, reportedSilence) = (.now, Self.shortestSilence) }
        collect()
        guard failure == nil else { return }
        guard isOpen, PQstatus(link) == CONNECTION_OK else { return lost() }
        deliverNotifications()
    }

    /// Waits until the socket is ready or the session is closed. Only outside of pipeline mode.
    func waitDirectly() async {
        guard failure == nil else { return }
        let ready = Promise<Void>()
        (direct, reportedSilence) = ((ready, .now), Self.shortestSilence)
        // Data that nobody requests stays in the socket. This slows the server down to the reader's pace. In the same synchronous part as the
        // promise, because the loop stops to read when it finds data that nobody waits for.
        watch?.wantsToRead = true
        watchAnswers()
        await ready.wait()
    }

    private func endDirectWait() {
        direct?.task.fulfill()
        direct = nil
    }

    private func lost() {
        close(batches.first?.error ?? DatabaseError(.connection, "the connection was lost"))
    }

    /// Reads the complete answers.
    private func collect() {
        while let batch = batches.first, PQisBusy(link) == 0 {
            guard let result = PQgetResult(link) else {
                // A null ends the answer to a statement. Without a connection, the nulls would never end.
                guard PQstatus(link) == CONNECTION_OK else { return }
                batch.advance()
                continue
            }
            switch PQresultStatus(result) {
            case PGRES_PIPELINE_SYNC:
                PQclear(result)
                batches.removeFirst()
                // A session that has lost its statements does not know these names either.
                if batch.error?.sqlState != "26000" { statements.discard(batch.deallocating) }
                batch.finish()
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
                take(result, for: batch)
            case PGRES_PIPELINE_ABORTED:
                PQclear(result)
            case PGRES_FATAL_ERROR:
                refuse(result, for: batch)
            default:
                // COPY cannot be stopped in pipeline mode.
                PQclear(result)
                return close(DatabaseError(.misuse, "only copyOut runs COPY; the connection was closed"))
            }
        }
    }

    private func take(_ result: OpaquePointer, for batch: Batch) {
        switch batch.current {
        case .deallocate(let name):
            batch.deallocated(name)
            PQclear(result)
        case .prepare(let key, let name):
            statements.insert(key, name: name)
            PQclear(result)
        case .begin, .query, nil:
            batch.receive(Rows(result: StatementResult(result)))
        }
    }

    private func refuse(_ result: OpaquePointer, for batch: Batch) {
        defer { PQclear(result) }
        var error = DatabaseError(result: result)
        if error.mayRetry { isDemoted = true }
        // All statements had succeeded, so their transaction may have been committed.
        if batch.current == nil { error.mayRetry = false }
        let isStale = DatabaseError.isStaleStatement(result)
        // A transaction can only be repeated as a whole.
        if isStale { error.mayRetry = true }
        batch.fail(error, isStale: isStale)
        guard isStale else { return }
        if error.sqlState == "26000" { return statements.forgetAll() }
        for case .query(let key) in batch.steps { statements.forget(key) }
    }

    private func deliverNotifications() {
        while failure == nil, let notification = PQnotifies(link) {
            defer { PQfreemem(notification) }
            onNotification?(String(cString: notification.pointee.relname), String(cString: notification.pointee.extra))
        }
    }
}
