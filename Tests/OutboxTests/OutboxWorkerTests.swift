import EmbeddedPostgres
import Foundation
import Logging
import Outbox
import Postgres
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

private let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
private let prelude: [SQL] = ["SELECT set_config('espalier.tenant', 'platform', true)"]

/// The requests to handlers, in their order.
private final class Asked: Sendable {
    private let entries = Mutex<[Outbox.Entry]>([])

    var all: [Outbox.Entry] { entries.withLock { $0 } }
    var subjects: [UUID] { all.map(\.subject) }

    func note(_ entry: Outbox.Entry) { entries.withLock { $0.append(entry) } }
}

/// Holds all callers until it is opened.
private final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

    func open() { continuation.finish() }
    func pass() async throws {
        for await _ in stream {}
        try Task.checkCancellation()
    }
}

@Suite("Outbox worker")
struct OutboxWorkerTests {
    private let owner = UUID()
    private let now = Date()

    private func pool() async throws -> DatabasePool {
        try TestDatabase.pool(try await TestDatabase.make().serverURL)
    }

    private func worker(
        _ pool: DatabasePool, kinds: [String] = ["test"], change: (inout OutboxWorker.Configuration) -> Void = { _ in },
        _ handler: @escaping OutboxWorker.Handler
    ) -> OutboxWorker {
        var configuration = OutboxWorker.Configuration()
        change(&configuration)
        return OutboxWorker(
            pool: pool, prelude: prelude, handlers: Dictionary(uniqueKeysWithValues: kinds.map { ($0, handler) }),
            configuration: configuration, logger: quiet, now: { Date() })
    }

    @discardableResult
    private func insert(_ pool: DatabasePool, _ count: Int = 1, kind: String = "test", owner: UUID? = nil) async throws -> [UUID] {
        let subjects = (0..<count).map { _ in UUID() }
        _ = try await pool.run(
            subjects.map { Outbox.insert(kind, subject: $0, owner: owner ?? self.owner, id: UUID(), at: now) }, prelude: prelude)
        return subjects
    }

    private func rows(_ pool: DatabasePool) async throws -> [(attempts: Int, dueAt: Date)] {
        try await pool.run("SELECT attempts, due_at FROM outbox", prelude: prelude).map {
            (try $0.get("attempts"), try $0.get("due_at"))
        }
    }

    /// Runs a worker as a service while the body runs.
    private func serving(_ worker: OutboxWorker, _ body: @Sendable @escaping (ServiceGroup) async throws -> Void) async throws {
        let group = ServiceGroup(configuration: .init(services: [.init(service: worker)], logger: quiet))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            do { try await body(group) } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    // MARK: One pass

    @Test("finished and given-up work is deleted, and work to be repeated waits for its time")
    func outcomes() async throws {
        let pool = try await pool()
        let again = now.addingTimeInterval(300)
        for (outcome, left) in [(Outbox.Outcome.done, 0), (.givenUp, 0), (.again(at: again), 1)] {
            let subject = try await insert(pool)[0]
            let asked = Asked()
            let worker = worker(pool) { entry, _ in
                asked.note(entry)
                return outcome
            }
            #expect(try await worker.pass(at: now) == 1)
            #expect(asked.subjects == [subject])
            #expect(asked.all.first?.owner == owner)
            #expect(asked.all.first?.attempts == 1)
            #expect(try await rows(pool).count == left)
        }
        let worker = worker(pool) { _, _ in .done }
        #expect(try await worker.pass(at: again.addingTimeInterval(-1)) == 0)
        #expect(try await worker.pass(at: again.addingTimeInterval(1)) == 1)
        #expect(try await rows(pool).isEmpty)
    }

    @Test("failed work is retried with growing delays")
    func accidents() async throws {
        struct Accident: Error {}
        let pool = try await pool()
        try await insert(pool)
        let worker = worker(pool) { _, _ in throw Accident() }
        var (at, waits) = (now, [TimeInterval]())
        for attempt in 1...12 {
            #expect(try await worker.pass(at: at) == 1)
            let row = try #require(try await rows(pool).first)
            #expect(row.attempts == attempt)
            waits.append(row.dueAt.timeIntervalSince(at))
            at = row.dueAt.addingTimeInterval(1)
        }
        #expect((2.4...5.1).contains(waits[0]))
        #expect((1799...3601).contains(waits[11]), "\(waits)")
    }

    @Test("a taken row is due again after its lease, and its first worker can no longer change it")
    func lease() async throws {
        let pool = try await pool()
        try await insert(pool)
        let (begun, gate) = (Asked(), Gate())
        let slow = worker(pool) { entry, _ in
            begun.note(entry)
            try await gate.pass()
            return .done
        }
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            tasks.addTask { try await slow.pass(at: now) }
            try await eventually("the first has it") { !begun.all.isEmpty }
            let second = Asked()
            let other = worker(pool) { entry, at in
                second.note(entry)
                return .again(at: at.addingTimeInterval(1000))
            }
            #expect(try await other.pass(at: now.addingTimeInterval(119)) == 0)
            #expect(try await other.pass(at: now.addingTimeInterval(121)) == 1)
            #expect(second.all.first?.attempts == 2)
            gate.open()
            #expect(try await tasks.next() == 1)
        }
        // The first worker reported the end of work that it had lost.
        #expect(try await rows(pool).map(\.attempts) == [2])
    }

    @Test("workers of several processes do each row once")
    func several() async throws {
        let database = try await TestDatabase.make()
        let asked = Asked()
        let pools = try (0..<3).map { _ in try TestDatabase.pool(database.serverURL) }
        let subjects = try await insert(pools[0], 150)
        try await withThrowingTaskGroup(of: Int.self) { tasks in
            for pool in pools {
                let worker = worker(pool) { entry, _ in
                    asked.note(entry)
                    await Task.yield()
                    return .done
                }
                tasks.addTask {
                    var total = 0
                    while case let taken = try await worker.pass(at: now), taken > 0 { total += taken }
                    return total
                }
            }
            var total = 0
            for try await taken in tasks { total += taken }
            #expect(total == 150)
        }
        #expect(asked.subjects.count == 150)
        #expect(Set(asked.subjects) == Set(subjects))
        #expect(try await rows(pools[0]).isEmpty)
    }

    @Test("work of a kind that this version does not know is left alone")
    func unknownKind() async throws {
        let pool = try await pool()
        try await insert(pool, kind: "of tomorrow")
        #expect(try await worker(pool) { _, _ in .done }.pass(at: now.addingTimeInterval(10)) == 0)
        #expect(try await rows(pool).map(\.attempts) == [0])
    }

    // MARK: The service

    @Test("a commit wakes it, and repeated work runs in time")
    func wakes() async throws {
        let pool = try await pool()
        let asked = Asked()
        let worker = worker(
            pool,
            change: {
                // Nothing else would wake it within the test's time limit.
                $0.longestSleep = .seconds(3600)
                $0.longestDeafSleep = .seconds(3600)
            }
        ) { entry, at in
            asked.note(entry)
            return entry.attempts == 1 ? .again(at: at.addingTimeInterval(0.2)) : .done
        }
        try await serving(worker) { _ in
            try await eventually("it listens") {
                try await pool.run("SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'").count == 1
            }
            for _ in 0..<3 {
                let subject = try await insert(pool)[0]
                try await eventually("it is done at the second attempt") {
                    asked.subjects.filter { $0 == subject }.count == 2
                }
            }
            try await eventually("nothing is left") { try await rows(pool).isEmpty }
        }
    }

    @Test("slow work of one owner leaves room for others")
    func fairness() async throws {
        let pool = try await pool()
        let (asked, gate, other) = (Asked(), Gate(), UUID())
        try await insert(pool, 40)
        let quick = try await insert(pool, owner: other)[0]
        let worker = worker(pool, change: { $0.concurrency = 8 }) { entry, _ in
            if entry.owner == owner { try await gate.pass() } else { asked.note(entry) }
            return .done
        }
        try await serving(worker) { _ in
            try await eventually("the other's is done") { asked.subjects == [quick] }
            gate.open()
            try await eventually("all are done") { try await rows(pool).isEmpty }
        }
    }

    @Test("a graceful shutdown finishes work in progress and starts no other")
    func finishes() async throws {
        let pool = try await pool()
        let asked = Asked()
        let worker = worker(pool, change: { $0.concurrency = 1 }) { entry, _ in
            asked.note(entry)
            // Only after the worker has received its end. Until then, the end of this work starts the next.
            try await gracefulShutdown()
            return .done
        }
        try await insert(pool, 2)
        try await serving(worker) { group in
            try await eventually("one is under way") { asked.all.count == 1 }
            await group.triggerGracefulShutdown()
        }
        #expect(asked.all.count == 1)
        #expect(try await rows(pool).map(\.attempts) == [0])
    }

    @Test("unfinished work is left, and is due again after its lease")
    func leaves() async throws {
        let pool = try await pool()
        let asked = Asked()
        let worker = worker(pool, change: { $0.shutdownLimit = .milliseconds(50) }) { entry, _ in
            asked.note(entry)
            try await Task.sleep(for: .seconds(3600))
            return .done
        }
        try await insert(pool)
        let began = ContinuousClock.now
        try await serving(worker) { _ in try await eventually("it is under way") { asked.all.count == 1 } }
        #expect(ContinuousClock.now - began < .seconds(60))
        let row = try #require(try await rows(pool).first)
        #expect(row.attempts == 1)
        #expect(row.dueAt > Date().addingTimeInterval(30))
    }

    @Test("an outage of the database only delays work")
    func databaseAway() async throws {
        // The committed work must still exist after the crash.
        let cluster = try await TestCluster.own(settings: ["fsync": "off"])
        do {
            let pool = try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres")) {
                // The outage lasts longer than this, and even a busy machine connects within it.
                $0.waitingTime = .seconds(2)
            }
            _ = try await pool.run([
                """
                CREATE TABLE outbox (tenant_id uuid, id uuid, kind text, subject uuid, attempts integer DEFAULT 0, created_at timestamptz,
                    due_at timestamptz)
                """
            ])
            let asked = Asked()
            let worker = worker(pool, change: { $0.longestSleep = .milliseconds(200) }) { entry, _ in
                asked.note(entry)
                return .done
            }
            try await serving(worker) { _ in
                let first = try await insert(pool)[0]
                try await eventually("the first is done") { asked.subjects == [first] }
                try await cluster.crash()
                try await cluster.start()
                let second = try await eventually("the database is back") { try? await insert(pool)[0] }
                try await eventually("the second is done") { asked.subjects.contains(second) }
            }
        } catch {
            try await cluster.stop()
            throw error
        }
        try await cluster.stop()
    }

    @Test("with a concurrency of 0 it does nothing, and stops on request")
    func none() async throws {
        let pool = try await pool()
        try await insert(pool)
        let worker = worker(pool, change: { $0.concurrency = 0 }) { _, _ in .done }
        try await serving(worker) { _ in }
        #expect(try await rows(pool).map(\.attempts) == [0])
    }
}
