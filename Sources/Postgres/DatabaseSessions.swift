import CLibPQ
import Logging

/// The state of a pool: the idle sessions, the lent ones, and the callers that wait for one.
@EventLoop
final class DatabaseSessions {
    private let configuration: DatabasePool.Configuration
    private let parameters: ConnectionParameters
    private let logger: Logger

    /// The session used last is lent first. So few sessions stay warm, and the others become old enough to be
    /// closed.
    private var idle: [DatabaseSession] = []
    private var lent = 0
    private var opening = 0
    private var waiting: [Waiter] = []
    private var waitingTimer: EventLoop.Timer?
    private var idleTimer: EventLoop.Timer?
    private var retryTimer: EventLoop.Timer?
    /// The number of failed attempts to connect since the last success, and the last error.
    private var failures = 0
    private var lastFailure: DatabaseError?
    /// Whether the pool holds the minimum of sessions open. False until the pool's `run`.
    private var maintainsMinimum = false
    private var isClosing = false
    private var whenEmpty: [CheckedContinuation<Void, Never>] = []

    private final class Waiter {
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<DatabaseSession, any Error>

        init(deadline: ContinuousClock.Instant, continuation: CheckedContinuation<DatabaseSession, any Error>) {
            (self.deadline, self.continuation) = (deadline, continuation)
        }
    }

    /// Finds a caller's place in the queue when its task is cancelled.
    @EventLoop
    private final class Ticket {
        var waiter: Waiter?
    }

    nonisolated init(_ configuration: DatabasePool.Configuration, parameters: ConnectionParameters, logger: Logger) {
        (self.configuration, self.parameters, self.logger) = (configuration, parameters, logger)
    }

    // MARK: Lending

    /// Returns an idle session, or the next one that becomes free or opens. First come, first served.
    /// - Throws: `DatabaseError` of kind `.poolTimeout` or `.connection`, `CancellationError`.
    func lend() async throws -> DatabaseSession {
        guard !isClosing else { throw DatabaseError(.connection, "the pool is closed") }
        while let session = idle.popLast() {
            lent += 1
            if session.isFit { return session }
            session.close()
            lent -= 1
        }
        guard waiting.count < configuration.maximumWaiting else {
            throw DatabaseError(.poolTimeout, "\(waiting.count) callers are already waiting")
        }
        try Task.checkCancellation()
        let ticket = Ticket()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(deadline: .now + configuration.waitingTime, continuation: continuation)
                ticket.waiter = waiter
                waiting.append(waiter)
                openWhatIsMissing()
                watchWaiting()
            }
        } onCancel: {
            Task { @EventLoop in self.cancel(ticket) }
        }
    }

    /// Takes a session back, in any state.
    func giveBack(_ session: DatabaseSession) {
        guard session.failure == nil else { return leave() }
        if session.isBeingCancelled {
            Task {
                await session.settle()
                giveBack(session)
            }
            return
        }
        guard session.isFit else {
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
            next.continuation.resume(returning: session)
        } else if isClosing {
            session.close()
            checkEmpty()
        } else {
            session.idleSince = .now
            idle.append(session)
            watchIdle()
        }
    }

    private func cancel(_ ticket: Ticket) {
        guard let waiter = ticket.waiter, let index = waiting.firstIndex(where: { $0 === waiter }) else { return }
        waiting.remove(at: index)
        waiter.continuation.resume(throwing: CancellationError())
        checkEmpty()
    }

    /// All callers wait equally long, so the first in the queue times out first.
    private func watchWaiting() {
        guard waitingTimer == nil, let first = waiting.first else { return }
        waitingTimer = EventLoop.after(first.deadline - .now) { [self] in
            waitingTimer = nil
            while let first = waiting.first, first.deadline <= .now {
                waiting.removeFirst()
                first.continuation.resume(throwing: lastFailure ?? DatabaseError(.poolTimeout, "waited \(configuration.waitingTime)"))
            }
            watchWaiting()
            checkEmpty()
        }
    }

    // MARK: Opening

    private func openWhatIsMissing() {
        guard retryTimer == nil else { return }
        while isOneMissing {
            // While the server does not answer, one attempt at a time is enough to find out when it does.
            guard failures == 0 || opening == 0 else { return }
            opening += 1
            Task { await open() }
        }
    }

    private var isOneMissing: Bool {
        let total = idle.count + lent + opening
        guard total < configuration.maximumConnections else { return false }
        return opening < waiting.count || (maintainsMinimum && !isClosing && total < configuration.minimumConnections)
    }

    private func open() async {
        do {
            let session = try await DatabaseSession.open(parameters)
            opening -= 1
            if failures > 0 { logger.notice("connected to PostgreSQL again", metadata: ["attempts": "\(failures + 1)"]) }
            (failures, lastFailure) = (0, nil)
            session.onClose = { [weak self] in self?.hasEnded($0) }
            handOn(session)
            openWhatIsMissing()
        } catch {
            opening -= 1
            failures += 1
            lastFailure = error as? DatabaseError
            logger.warning("cannot connect to PostgreSQL", metadata: ["error": "\(error)", "attempt": "\(failures)"])
            retryTimer =
                retryTimer
                ?? EventLoop.after(BackOff.delay(afterFailures: failures)) { [self] in
                    retryTimer = nil
                    openWhatIsMissing()
                }
            checkEmpty()
        }
    }

    /// The server closed an idle session. For a lent one, this is detected when it is returned.
    private func hasEnded(_ session: DatabaseSession) {
        guard let index = idle.firstIndex(where: { $0 === session }) else { return }
        idle.remove(at: index)
        openWhatIsMissing()
        checkEmpty()
    }

    // MARK: Closing

    /// Closes sessions that were unused for the idle time, down to the minimum.
    private func watchIdle() {
        guard idleTimer == nil, idle.count + lent > configuration.minimumConnections, let oldest = idle.first else { return }
        let due = oldest.idleSince + configuration.idleTime
        idleTimer = EventLoop.after(max(.seconds(1), due - .now)) { [weak self] in
            guard let self else { return }
            idleTimer = nil
            while idle.count + lent > configuration.minimumConnections, let oldest = idle.first,
                oldest.idleSince + configuration.idleTime <= .now
            {
                idle.removeFirst()
                oldest.close()
            }
            watchIdle()
        }
    }

    func maintainMinimum() {
        maintainsMinimum = true
        openWhatIsMissing()
    }

    /// Lends no more sessions. Callers that already wait are still served.
    func close() {
        isClosing = true
        for session in idle { session.close() }
        idle = []
        idleTimer?.cancel()
        idleTimer = nil
        checkEmpty()
    }

    /// Returns when the last session has ended.
    func drain() async {
        guard !isEmpty else { return }
        await withCheckedContinuation { whenEmpty.append($0) }
    }

    private var isEmpty: Bool { idle.isEmpty && lent == 0 && opening == 0 && waiting.isEmpty }

    private func checkEmpty() {
        guard isClosing, isEmpty else { return }
        for waiting in whenEmpty { waiting.resume() }
        whenEmpty = []
    }
}
