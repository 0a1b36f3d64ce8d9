package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// Does the work in the outbox. Every process may run a worker. It takes a row by moving the row's time, in a transaction of
/// one statement, and runs the handler outside any transaction.
///
/// It wakes when a row is written, by a notification of the row's own transaction. Otherwise, it wakes when the next row is
/// due, and regularly for the work that a process left. An idle installation queries the database twice a minute per process.
///
/// Work may happen twice: after a crash, and when the end of the work could not be recorded. Handlers must tolerate this, and
/// must return well before the lease ends.
package struct OutboxWorker: Service {
    /// - Parameter now: The time at which the work was taken.
    /// - Throws: Any error that is not an outcome. It is logged, and the work is retried with growing delays. `CancellationError`
    ///   leaves the work until the lease ends.
    package typealias Handler = @Sendable (_ entry: Outbox.Entry, _ now: Date) async throws -> Outbox.Outcome

    package struct Configuration: Sendable {
        /// The maximum number of concurrent handlers. With 0, this process leaves the outbox to others.
        package var concurrency = 32
        /// The maximum number of concurrent rows of one owner. An owner with as many rows in progress waits for its turn, so that
        /// a tenant with a slow endpoint does not delay the others.
        package var share = 4
        /// The time that a process has for a row before another process takes it. It is longer than any handler and any clock
        /// difference.
        package var lease = Duration.seconds(120)
        /// The longest sleep while the worker receives notifications of new rows, and while it does not.
        package var longestSleep = Duration.seconds(30)
        package var longestDeafSleep = Duration.seconds(2)
        /// The time that a graceful shutdown waits for work in progress. Unfinished work is due again when its lease ends.
        package var shutdownLimit = Duration.seconds(20)

        package init(concurrency: Int = 32) {
            self.concurrency = concurrency
        }
    }

    private let pool: DatabasePool
    private let prelude: [SQL]
    private let handlers: [String: Handler]
    private let configuration: Configuration
    private let logger: Logger
    private let now: @Sendable () -> Date

    /// - Parameters:
    ///   - prelude: The statement that gives a transaction access to every owner's rows.
    ///   - handlers: The handler of each kind of work.
    package init(
        pool: DatabasePool, prelude: [SQL], handlers: [String: Handler], configuration: Configuration = .init(), logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.prelude, self.handlers) = (pool, prelude, handlers)
        (self.configuration, self.logger, self.now) = (configuration, logger, now)
    }

    /// Does the work that is due at this time, at most `concurrency` rows, and returns when it is done. For tests, which do not wait.
    /// - Returns: The number of rows.
    @discardableResult
    package func pass(at now: Date) async throws -> Int {
        let entries = try await pool.run(
            Outbox.take(
                Array(handlers.keys), skipping: [], limit: configuration.concurrency, until: now + configuration.lease, at: now),
            prelude: prelude
        ).map(Outbox.Entry.init)
        await withDiscardingTaskGroup { group in
            for entry in entries { group.addTask { await work(entry, at: now) } }
        }
        return entries.count
    }

    /// Runs one handler and records the outcome.
    private func work(_ entry: Outbox.Entry, at now: Date) async {
        guard let handler = handlers[entry.kind] else { return }
        let facts: Logger.Metadata = ["kind": "\(entry.kind)", "subject": "\(entry.subject)", "attempts": "\(entry.attempts)"]
        let outcome: Outbox.Outcome
        do {
            outcome = try await handler(entry, now)
            if outcome == .givenUp { logger.error("outbox work given up", metadata: facts) }
        } catch {
            // A shutdown. The work is due again when the lease ends.
            if Task.isCancelled || error is CancellationError { return }
            logger.error("outbox work failed", metadata: facts.merging(["cause": "\(error)"]) { $1 })
            outcome = .again(at: now + Self.delay(afterFailures: entry.attempts, first: .seconds(5), longest: .seconds(3600)))
        }
        do {
            _ = try await pool.run(entry.conclude(outcome), prelude: prelude)
        } catch {
            logger.warning("the outcome of outbox work could not be recorded", metadata: facts.merging(["cause": "\(error)"]) { $1 })
        }
    }

    /// The delay doubles with each failure. Half of it is random.
    package static func delay(afterFailures failures: Int, first: Duration, longest: Duration) -> Duration {
        min(first * (1 << min(max(failures - 1, 0), 20)), longest) * Double.random(in: 0.5...1)
    }
}

// MARK: The service

extension OutboxWorker {
    /// The work in progress in this process.
    private final class UnderWay: Sendable {
        private struct State {
            var count = 0
            var byOwner: [UUID: Int] = [:]
            var isStopping = false
            var isListening = false
        }
        private let state = Mutex(State())

        var count: Int { state.withLock { $0.count } }
        var isStopping: Bool { state.withLock { $0.isStopping } }
        var isListening: Bool { state.withLock { $0.isListening } }

        func stop() { state.withLock { $0.isStopping = true } }
        func listens(_ isListening: Bool) { state.withLock { $0.isListening = isListening } }

        func begin(_ entry: Outbox.Entry) {
            state.withLock { state in
                state.count += 1
                state.byOwner[entry.owner, default: 0] += 1
            }
        }

        func end(_ entry: Outbox.Entry) {
            state.withLock { state in
                state.count -= 1
                state.byOwner[entry.owner, default: 0] -= 1
                if state.byOwner[entry.owner] == 0 { state.byOwner[entry.owner] = nil }
            }
        }

        func owners(withAtLeast share: Int) -> [UUID] {
            state.withLock { $0.byOwner.filter { $0.value >= share }.map(\.key) }
        }
    }

    package func run() async throws {
        guard configuration.concurrency > 0, !handlers.isEmpty else {
            // Nothing to do. But a service that ends would end all other services.
            try? await gracefulShutdown()
            return
        }
        let underWay = UnderWay()
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withGracefulShutdownHandler {
            await withDiscardingTaskGroup { group in
                group.addTask { await listen(underWay, wake) }
                var wakes = wakes.makeAsyncIterator()
                var failures = 0
                while !underWay.isStopping, !Task.isCancelled {
                    let sleep: Duration
                    do {
                        sleep = try await begin(underWay, in: &group, wake)
                        failures = 0
                    } catch {
                        if Task.isCancelled { break }
                        failures += 1
                        sleep = Self.delay(afterFailures: failures, first: .milliseconds(500), longest: configuration.longestSleep)
                        logger.warning("the outbox is not readable", metadata: ["cause": "\(error)", "attempt": "\(failures)"])
                        // Not woken by work that ends, because that is not a reason to query again at once.
                        try? await Task.sleep(for: min(sleep, .seconds(1)))
                    }
                    await Self.wait(sleep, for: &wakes, wake)
                }
                let deadline = ContinuousClock.now + configuration.shutdownLimit
                while underWay.count > 0, ContinuousClock.now < deadline, !Task.isCancelled {
                    await Self.wait(deadline - .now, for: &wakes, wake)
                }
                if underWay.count > 0 { logger.warning("outbox work left for another process", metadata: ["count": "\(underWay.count)"]) }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            underWay.stop()
            wake.yield()
        }
    }

    /// Starts all due work that there is room for.
    /// - Returns: The time until there is more to do.
    private func begin(
        _ underWay: UnderWay, in group: inout DiscardingTaskGroup, _ wake: AsyncStream<Void>.Continuation
    ) async throws -> Duration {
        let kinds = Array(handlers.keys)
        while !underWay.isStopping {
            let room = configuration.concurrency - underWay.count
            // Any work that ends makes room and wakes this.
            guard room > 0 else { break }
            let now = now()
            let busy = underWay.owners(withAtLeast: configuration.share)
            var batch = Statements()
            let taken = batch.append(
                Outbox.take(kinds, skipping: busy, limit: min(room, configuration.share), until: now + configuration.lease, at: now))
            let longest = underWay.isListening ? configuration.longestSleep : configuration.longestDeafSleep
            let nextDue = batch.append(Outbox.nextDue(kinds, skipping: busy, until: now + longest))
            let results = try await pool.run(batch, prelude: prelude)
            let entries = try results[taken].map(Outbox.Entry.init)
            for entry in entries {
                underWay.begin(entry)
                group.addTask {
                    await work(entry, at: self.now())
                    underWay.end(entry)
                    wake.yield()
                }
            }
            guard entries.isEmpty else { continue }
            let next: Date? = try results[nextDue].first { try $0.get("due_at") }
            // Due but not taken: another process is taking it.
            return min(max(next.map { .seconds($0.timeIntervalSince(now)) } ?? longest, .milliseconds(100)), longest)
        }
        return configuration.longestSleep
    }

    /// Receives notifications of new rows.
    private func listen(_ underWay: UnderWay, _ wake: AsyncStream<Void>.Continuation) async {
        for await event in pool.listen(["espalier_outbox"]) {
            underWay.listens(event != .disconnected)
            wake.yield()
        }
    }

    /// Waits until a wake-up, up to the given time.
    private static func wait(
        _ limit: Duration, for wakes: inout AsyncStream<Void>.Iterator, _ wake: AsyncStream<Void>.Continuation
    ) async {
        let alarm = Task {
            guard (try? await Task.sleep(for: limit)) != nil else { return }
            wake.yield()
        }
        await wakes.next()
        alarm.cancel()
    }
}

private func + (date: Date, duration: Duration) -> Date {
    date.addingTimeInterval(duration / .seconds(1))
}
