package import Foundation
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// Does what stands in the outbox. Every process may run one: a row is taken by moving its time on, in a transaction of one
/// statement, and its handler runs outside any.
///
/// It wakes when a row is written, by a notification of the row's own transaction; otherwise when the next row is due, and now
/// and then for what a process left behind. An idle installation asks the database twice a minute for each process.
///
/// What happens at least once may happen twice: after a crash, and when the end of work could not be written down. Handlers
/// have to bear that, and to come back well before the lease is over.
package struct OutboxWorker: Service {
    /// - Parameter now: when the work was taken.
    /// - Throws: what is no outcome but an accident: it is logged, and the work is tried again, later and later. `CancellationError`
    ///   leaves it for when the lease is over.
    package typealias Handler = @Sendable (_ entry: Outbox.Entry, _ now: Date) async throws -> Outbox.Outcome

    package struct Configuration: Sendable {
        /// How many handlers run at once; with 0 this process leaves the outbox to others.
        package var concurrency = 32
        /// How many rows of one owner are taken at once. One that has as many under way waits for its turn, so that a tenant whose
        /// endpoint is slow does not hold up all others.
        package var share = 4
        /// How long a process may take for a row before another takes it. Longer than any handler, and than clocks are apart.
        package var lease = Duration.seconds(120)
        /// How long it sleeps at the most while it hears of new rows, and while it does not.
        package var longestSleep = Duration.seconds(30)
        package var longestDeafSleep = Duration.seconds(2)
        /// How long a graceful shutdown waits for what is under way. What is not finished by then comes back when its lease is over.
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
    ///   - prelude: what makes a transaction see every owner's rows.
    ///   - handlers: by the kind of work.
    package init(
        pool: DatabasePool, prelude: [SQL], handlers: [String: Handler], configuration: Configuration = .init(), logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        (self.pool, self.prelude, self.handlers) = (pool, prelude, handlers)
        (self.configuration, self.logger, self.now) = (configuration, logger, now)
    }

    /// Does what is due at this time, at most `concurrency` rows, and returns when it is done: for tests, which have no time to wait.
    /// - Returns: how many rows it took.
    @discardableResult
    package func pass(at now: Date) async throws -> Int {
        let entries = try await pool.run(
            Outbox.take(
                Array(handlers.keys), passingOver: [], limit: configuration.concurrency, until: now + configuration.lease, at: now),
            prelude: prelude
        ).map(Outbox.Entry.init)
        await withDiscardingTaskGroup { group in
            for entry in entries { group.addTask { await work(entry, at: now) } }
        }
        return entries.count
    }

    /// Runs one handler and writes down what became of the work.
    private func work(_ entry: Outbox.Entry, at now: Date) async {
        guard let handler = handlers[entry.kind] else { return }
        let facts: Logger.Metadata = ["kind": "\(entry.kind)", "subject": "\(entry.subject)", "attempts": "\(entry.attempts)"]
        let outcome: Outbox.Outcome
        do {
            outcome = try await handler(entry, now)
            if outcome == .givenUp { logger.error("given up what was to happen after a commit", metadata: facts) }
        } catch {
            // Shutting down: the lease brings it back.
            if Task.isCancelled || error is CancellationError { return }
            logger.error("what was to happen after a commit failed", metadata: facts.merging(["cause": "\(error)"]) { $1 })
            outcome = .again(at: now + Self.delay(afterFailures: entry.attempts, first: .seconds(5), longest: .seconds(3600)))
        }
        do {
            _ = try await pool.run(entry.conclude(outcome), prelude: prelude)
        } catch {
            logger.warning("the end of work could not be written down", metadata: facts.merging(["cause": "\(error)"]) { $1 })
        }
    }

    /// Doubled with each failure, and half of it by chance.
    private static func delay(afterFailures failures: Int, first: Duration, longest: Duration) -> Duration {
        min(first * (1 << min(max(failures - 1, 0), 20)), longest) * Double.random(in: 0.5...1)
    }
}

// MARK: The service

extension OutboxWorker {
    /// What runs in this process at the moment.
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
            // Nothing to do, but a service that ends ends all others.
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
                        logger.warning("the outbox cannot be read", metadata: ["cause": "\(error)", "attempt": "\(failures)"])
                        // Not to be woken from: the end of work that was under way is no reason to ask again at once.
                        try? await Task.sleep(for: min(sleep, .seconds(1)))
                    }
                    await Self.wait(sleep, for: &wakes, wake)
                }
                let deadline = ContinuousClock.now + configuration.shutdownLimit
                while underWay.count > 0, ContinuousClock.now < deadline, !Task.isCancelled {
                    await Self.wait(deadline - .now, for: &wakes, wake)
                }
                if underWay.count > 0 { logger.warning("work was left for another process", metadata: ["count": "\(underWay.count)"]) }
                group.cancelAll()
            }
        } onGracefulShutdown: {
            underWay.stop()
            wake.yield()
        }
    }

    /// Begins all that is due and that there is room for.
    /// - Returns: how long there is nothing to do.
    private func begin(
        _ underWay: UnderWay, in group: inout DiscardingTaskGroup, _ wake: AsyncStream<Void>.Continuation
    ) async throws -> Duration {
        let kinds = Array(handlers.keys)
        while !underWay.isStopping {
            let room = configuration.concurrency - underWay.count
            // Whatever ends makes room, and wakes this.
            guard room > 0 else { break }
            let now = now()
            let busy = underWay.owners(withAtLeast: configuration.share)
            let answers = try await pool.run(
                [
                    Outbox.take(
                        kinds, passingOver: busy, limit: min(room, configuration.share), until: now + configuration.lease, at: now),
                    Outbox.nextDue(kinds, passingOver: busy),
                ], prelude: prelude)
            let entries = try answers[0].map(Outbox.Entry.init)
            for entry in entries {
                underWay.begin(entry)
                group.addTask {
                    await work(entry, at: self.now())
                    underWay.end(entry)
                    wake.yield()
                }
            }
            guard entries.isEmpty else { continue }
            let next: Date? = try answers[1].first { try $0.get("due_at") }
            let longest = underWay.isListening ? configuration.longestSleep : configuration.longestDeafSleep
            // Due, and yet not taken: another process is just taking it.
            return min(max(next.map { .seconds($0.timeIntervalSince(now)) } ?? longest, .milliseconds(100)), longest)
        }
        return configuration.longestSleep
    }

    /// Hears of new rows.
    private func listen(_ underWay: UnderWay, _ wake: AsyncStream<Void>.Continuation) async {
        for await event in pool.listen(["espalier_outbox"]) {
            underWay.listens(event != .disconnected)
            wake.yield()
        }
    }

    /// Until something wakes it, and so long at the most.
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
