import CLibPQ
import Logging

/// The state of a pool: the idle sessions, the lent ones, and the callers that wait for one.
@EventLoop
final class DatabaseSessions {
    let configuration: DatabasePool.Configuration
    let connector: Connector
    let logger: Logger

    /// All open sessions.
    private(set) var open: [DatabaseSession] = []
    /// The session used last is lent first. So few sessions stay warm, and the others become old enough to be
    /// closed.
    private var idle: [DatabaseSession] = []
    private var lent = 0 {
        didSet { if lent < oldValue { lastReturn = .now } }
    }
    private var lastReturn = ContinuousClock.now
    private var opening = 0
    private var waiting: [Waiter] = []
    /// The number of callers that got no session.
    private var refused = 0
    private var waitingTimer: (timer: EventLoop.Timer, end: ContinuousClock.Instant)?
    private var idleTimer: EventLoop.Timer?
    private var retryTimer: EventLoop.Timer?
    /// The number of failed attempts to connect since the last success, and the last error.
    private var failures = 0
    private var lastFailure: DatabaseError?
    /// Whether the pool holds the minimum of sessions open. False until the pool's `run`.
    private var maintainsMinimum = false
    private(set) var isClosing = false
    private(set) var whenEmpty: [Promise<Void>] = []
    var isLookingForPrimary = false

    /// A caller that waits for a session. It receives a session or an error, once.
    @EventLoop
    final class Waiter {
        fileprivate let deadline: ContinuousClock.Instant
        fileprivate let receive: @EventLoop (Result<DatabaseSession, any Error>) -> Void

        fileprivate init(deadline: ContinuousClock.Instant, receive: @escaping @EventLoop (Result<DatabaseSession, any Error>) -> Void) {
            (self.deadline, self.receive) = (deadline, receive)
        }
    }

    nonisolated init(_ configuration: DatabasePool.Configuration, connector: Connector, logger: Logger) {
        (self.configuration, self.connector, self.logger) = (configuration, connector, logger)
    }

    var load: DatabasePool.Load {
        DatabasePool.Load(idle: idle.count, lent: lent, waiting: waiting.count, refused: refused)
    }

    var lastUse: ContinuousClock.Instant { lent > 0 || !waiting.isEmpty ? .now : lastReturn }

    // MARK: Lending

    /// Returns an idle session, or the next one that becomes free or opens. First come, first served.
    /// - Throws: `DatabaseError` of kind `.poolTimeout` or `.connection`, `CancellationError`.
    func lend(until deadline: ContinuousClock.Instant? = nil) async throws -> DatabaseSession {
        if let session = try takeIdle() { return session }
        try Task.checkCancellation()
        let session = Promise<Result<DatabaseSession, any Error>>()
        let waiter = try wait(until: deadline ?? .now + configuration.waitingTime) { session.fulfill($0) }
        return try await withTaskCancellationHandler {
            try await session.wait().get()
        } onCancel: {
            EventLoopThread.shared.call { self.cancel(waiter) }
        }
    }

    /// Lends an idle session; nil if there is none.
    /// - Throws: `DatabaseError` of kind `.connection` if the pool is closed.
    func takeIdle() throws -> DatabaseSession? {
        guard !isClosing else { throw DatabaseError(.connection, "the pool is closed") }
        while let session = idle.popLast() {
            // Input of an idle session is nearly always its end.
            if session.isFit, session.expiresAt > .now, !session.hasInput {
                lent += 1
                return session
            }
            session.close()
        }
        return nil
    }

    /// Lends an idle session, except one whose server has sent something that the loop has not read yet, such as the end of the session.
    func takeWithoutInput() -> DatabaseSession? {
        guard !isClosing, let session = idle.last, session.isFit, session.expiresAt > .now, !session.hasInput else { return nil }
        idle.removeLast()
        lent += 1
        return session
    }

    /// Lends the next session that becomes free or opens.
    /// - Throws: `DatabaseError` of kind `.poolTimeout` if too many callers wait.
    func wait(
        until deadline: ContinuousClock.Instant, _ receive: @escaping @EventLoop (Result<DatabaseSession, any Error>) -> Void
    ) throws -> Waiter {
        guard waiting.count < configuration.maximumWaiting else {
            refused += 1
            throw DatabaseError(.poolTimeout, "\(waiting.count) callers are already waiting")
        }
        let waiter = Waiter(deadline: deadline, receive: receive)
        waiting.append(waiter)
        openWhatIsMissing()
        if waitingTimer.map({ deadline < $0.end }) ?? true { watchWaiting() }
        return waiter
    }

    /// Takes a session back, in any state.
    func giveBack(_ session: DatabaseSession) {
        session.endLoan()
        (session.opening, session.longestStatement) = ([], nil)
        if session.isDemoted { closeIdle(withServerOf: session) }
        guard session.failure == nil else { return leave() }
        if session.isBeingCancelled {
            Task {
                await session.settle()
                giveBack(session)
            }
            return
        }
        guard session.isFit, session.expiresAt > .now else {
            session.close()
            return leave()
        }
        lent -= 1
        handOn(session)
    }

    /// A lent session has ended.
    private func leave() {
        lent -= 1
        openWhatIsMissing()
        checkEmpty()
    }

    private func handOn(_ session: DatabaseSession) {
        if let next = waiting.first {
            waiting.removeFirst()
            lent += 1
            next.receive(.success(session))
        } else if isClosing {
            session.close()
            checkEmpty()
        } else {
            session.idleSince = .now
            idle.append(session)
            watchIdle()
        }
    }

    func cancel(_ waiter: Waiter) {
        guard let index = waiting.firstIndex(where: { $0 === waiter }) else { return }
        waiting.remove(at: index)
        waiter.receive(.failure(CancellationError()))
        checkEmpty()
    }

    private func watchWaiting() {
        waitingTimer?.timer.cancel()
        waitingTimer = nil
        guard let next = waiting.lazy.map(\.deadline).min() else { return }
        let timer = EventLoop.after(next - .now) { [self] in
            waitingTimer = nil
            let now = ContinuousClock.now
            let late = waiting.filter { $0.deadline <= now }
            waiting.removeAll { $0.deadline <= now }
            refused += late.count
            for waiter in late {
                waiter.receive(.failure(lastFailure ?? DatabaseError(.poolTimeout, "waited \(configuration.waitingTime)")))
            }
            watchWaiting()
            checkEmpty()
        }
        waitingTimer = (timer, next)
    }

    // MARK: Opening

    private func openWhatIsMissing() {
        guard retryTimer == nil else { return }
        while isOneMissing {
            // While the server does not answer, one attempt at a time is enough to find out when it does.
            guard failures == 0 || opening == 0 else { return }
            opening += 1
            Task { await openOne() }
        }
    }

    private var isOneMissing: Bool {
        let total = idle.count + lent + opening
        guard total < configuration.maximumConnections else { return false }
        return opening < waiting.count || (maintainsMinimum && !isClosing && total < configuration.minimumConnections)
    }

    private func openOne() async {
        do {
            let session = try await DatabaseSession.open(connector)
            opening -= 1
            add(session)
        } catch {
            opening -= 1
            failures += 1
            lastFailure = error as? DatabaseError
            logger.warning("cannot connect to PostgreSQL", metadata: ["cause": "\(error)", "attempt": "\(failures)"])
            retryTimer =
                retryTimer
                ?? EventLoop.after(BackOff.delay(afterFailures: failures)) { [self] in
                    retryTimer = nil
                    openWhatIsMissing()
                }
            checkEmpty()
        }
    }

    /// Adds a new session, unless the pool is full.
    func add(_ session: DatabaseSession) {
        guard session.failure == nil else { return openWhatIsMissing() }
        if failures > 0 { logger.notice("connected to PostgreSQL again", metadata: ["attempts": "\(failures + 1)"]) }
        (failures, lastFailure) = (0, nil)
        retryTimer?.cancel()
        retryTimer = nil
        guard idle.count + lent < configuration.maximumConnections else { return session.close() }
        // Random, so that sessions that were opened together do not end together.
        session.expiresAt = .now + configuration.maximumAge * Double.random(in: 0.8...1)
        session.onClose = { [weak self] in self?.hasEnded($0) }
        session.onSilence = { [weak self] in self?.lookForPrimary() }
        open.append(session)
        handOn(session)
        openWhatIsMissing()
    }

    /// A lent session leaves the pool when it is returned.
    private func hasEnded(_ session: DatabaseSession) {
        open.removeAll { $0 === session }
        guard let index = idle.firstIndex(where: { $0 === session }) else { return }
        idle.remove(at: index)
        openWhatIsMissing()
        checkEmpty()
    }

    // MARK: Closing

    /// Closes sessions that were unused for the idle time, down to the minimum, and those that are too old.
    private func watchIdle() {
        guard idleTimer == nil, let due = idle.lazy.map(dueTime).min() else { return }
        idleTimer = EventLoop.after(max(.seconds(1), due - .now)) { [weak self] in
            guard let self else { return }
            idleTimer = nil
            let now = ContinuousClock.now
            for session in idle where dueTime(of: session) <= now { session.close() }
            watchIdle()
        }
    }

    private func dueTime(of session: DatabaseSession) -> ContinuousClock.Instant {
        guard idle.count + lent > configuration.minimumConnections else { return session.expiresAt }
        return min(session.expiresAt, session.idleSince + configuration.idleTime)
    }

    private func closeIdle(withServerOf demoted: DatabaseSession) {
        for session in idle where session.isWithServer(of: demoted) { session.close() }
    }

    func maintainMinimum() {
        maintainsMinimum = true
        openWhatIsMissing()
    }

    /// Lends no more sessions. Callers that already wait are still served.
    func close() {
        isClosing = true
        for session in idle { session.close() }
        idleTimer?.cancel()
        idleTimer = nil
        checkEmpty()
    }

    /// Returns when the last session has ended, or when the task is cancelled.
    func drain() async {
        guard !isEmpty else { return }
        let empty = Promise<Void>()
        whenEmpty.append(empty)
        await withTaskCancellationHandler {
            await empty.wait()
        } onCancel: {
            Task { @EventLoop in empty.fulfill() }
        }
    }

    private var isEmpty: Bool { idle.isEmpty && lent == 0 && opening == 0 && waiting.isEmpty }

    private func checkEmpty() {
        guard isClosing, isEmpty else { return }
        for waiting in whenEmpty { waiting.fulfill() }
        whenEmpty = []
    }
}
