import CLibPQ
import Logging

/// The state of a pool: the idle connections, the lent ones, and the callers that wait for one.
@EventLoop
final class DatabaseSessions {
    private let configuration: DatabasePool.Configuration
    private let parameters: ConnectionParameters
    private let logger: Logger

    /// The connection used last is lent first. So few connections stay warm, and the others become old enough to be
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
    /// Whether the pool keeps the minimum of connections open. False until the pool's `run`.
    private var keepsMinimum = false
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

    /// Returns an idle connection, or the next one that becomes free or opens. First come, first served.
    /// - Throws: `DatabaseError` of kind `.poolTimeout` or `.connection`, `CancellationError`.
    func lend() async throws -> DatabaseSession {
        guard !isClosing else { throw DatabaseError(.connection, "the pool is closed") }
        while let connection = idle.popLast() {
            lent += 1
            if connection.isFit { return connection }
            connection.close()
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

    /// Takes a connection back, in any state.
    func giveBack(_ connection: DatabaseSession) {
        guard connection.failure == nil else { return leave() }
        if connection.isBeingCancelled {
            Task {
                await connection.settle()
                giveBack(connection)
            }
            return
        }
        guard connection.isFit else {
            connection.close()
            return leave()
        }
        lent -= 1
        handOn(connection)
    }

    /// A lent connection has ended.
    private func leave() {
        lent -= 1
        openWhatIsMissing()
        checkEmpty()
    }

    private func handOn(_ connection: DatabaseSession) {
        if let next = waiting.first {
            waiting.removeFirst()
            lent += 1
            next.continuation.resume(returning: connection)
        } else if isClosing {
            connection.close()
            checkEmpty()
        } else {
            connection.idleSince = .now
            idle.append(connection)
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
        return opening < waiting.count || (keepsMinimum && !isClosing && total < configuration.minimumConnections)
    }

    private func open() async {
        do {
            let connection = try await DatabaseSession.open(parameters)
            opening -= 1
            if failures > 0 { logger.notice("connected to PostgreSQL again", metadata: ["attempts": "\(failures + 1)"]) }
            (failures, lastFailure) = (0, nil)
            connection.onClose = { [weak self] in self?.hasEnded($0) }
            handOn(connection)
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

    /// The server closed an idle connection. For a lent one, this is detected when it is returned.
    private func hasEnded(_ connection: DatabaseSession) {
        guard let index = idle.firstIndex(where: { $0 === connection }) else { return }
        idle.remove(at: index)
        openWhatIsMissing()
        checkEmpty()
    }

    // MARK: Closing

    /// Closes connections that were unused for the idle time, down to the minimum.
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

    func keepMinimum() {
        keepsMinimum = true
        openWhatIsMissing()
    }

    /// Lends no more connections. Callers that already wait are still served.
    func close() {
        isClosing = true
        for connection in idle { connection.close() }
        idle = []
        idleTimer?.cancel()
        idleTimer = nil
        checkEmpty()
    }

    /// Returns when the last connection has ended.
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
