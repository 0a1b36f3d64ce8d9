import Foundation
import TestSupport
import Testing

@testable import Postgres

/// Under a task executor preference, a task can be suspended between a check and its continuation.
@Suite("Task executor preference")
struct TaskExecutorTests {
    /// One thread, as the loop of an HTTP connection.
    private final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "test.executor")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    private struct Refusal: Error {}

    /// A pool of a new database, for many callers at the same time.
    private static func pool(_ connections: Int) async throws -> DatabasePool {
        try TestDatabase.pool(try await TestDatabase.empty().ownerURL) {
            $0.maximumConnections = connections
            $0.maximumWaiting = 4000
            $0.waitingTime = .seconds(60)
        }
    }

    /// Calls `body` many times, with executors in turn. It gets another executor for its own tasks.
    /// - Parameter limit: The most calls at the same time.
    private static func repeated(
        _ count: Int, atOnce limit: Int = .max, _ body: @escaping @Sendable (_ number: Int, _ other: Executor) async throws -> Void
    ) async throws {
        let executors = (0..<4).map { _ in Executor() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                if number >= limit { try await group.next() }
                group.addTask(executorPreference: executors[number % executors.count]) {
                    try await body(number, executors[(number + 1) % executors.count])
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("under load with cancellations, every caller gets an answer, and no session is lost")
    func stress() async throws {
        let pool = try await Self.pool(4)
        let answered = Tally()
        let cancelled = Tally()
        try await Self.repeated(4000) { number, executor in
            let task = Task(executorPreference: executor) {
                if number.isMultiple(of: 7) {
                    return try await pool.transaction { db in
                        try await db.run("SELECT \(number)::bigint AS n")[0].get("n", as: Int.self)
                    }
                }
                return try await pool.run("SELECT \(number)::bigint AS n")[0].get("n", as: Int.self)
            }
            if number.isMultiple(of: 3) {
                for _ in 0..<(number % 17) { await Task.yield() }
                task.cancel()
            }
            do {
                let value = try await task.value
                #expect(value == number)
                answered.add()
            } catch is CancellationError {
                cancelled.add()
            }
        }
        #expect(answered.count + cancelled.count == 4000)
        #expect(answered.count >= 2600)
        try await lendAll(pool)
    }

    @Test("COPY and LISTEN that are read, cancelled or dropped lose no session")
    func streams() async throws {
        let pool = try TestDatabase.pool(try await TestDatabase.empty().ownerURL) {
            $0.maximumConnections = 4
            $0.waitingTime = .seconds(60)
            $0.statementTimeout = .seconds(60)
            $0.copyProgressLimit = .seconds(20)
        }
        let complete = Tally()
        try await Self.repeated(200, atOnce: 16) { number, executor in
            let listening = Task(executorPreference: executor) {
                for await event in pool.listen(["changed"]) where event == .connected { break }
            }
            let copy = Task(executorPreference: executor) {
                // The server sends it in many parts, so the reader waits often.
                let statement: SQL = "COPY (SELECT repeat('x', 200) FROM generate_series(1, 1000)) TO STDOUT"
                var rows = 0
                for try await _ in pool.copyOut(statement) {
                    rows += 1
                    if number % 4 == 1, rows == 100 { return rows }
                }
                return rows
            }
            if number % 4 == 2 {
                for _ in 0..<(number % 17) { await Task.yield() }
                (copy.cancel(), listening.cancel())
            }
            do {
                let rows = try await copy.value
                #expect(rows == (number % 4 == 1 ? 100 : 1000))
                complete.add()
            } catch is CancellationError {}
            await listening.value
        }
        #expect(complete.count >= 150)
        try await lendAll(pool)
        let observed: SQL = "SELECT count(*) <= 4 AS done FROM pg_stat_activity WHERE datname = current_database()"
        #expect(try await pool.wait(until: observed))
    }

    @Test("no statement of a transaction precedes its BEGIN, even if the first one is cancelled")
    func cancelledOpening() async throws {
        let pool = try await Self.pool(4)
        _ = try await pool.run("CREATE TABLE item (number bigint)")
        try await Self.repeated(2000) { number, executor in
            await #expect(throws: Refusal.self) {
                try await pool.transaction { db in
                    let first = Task(executorPreference: executor) {
                        try await db.run("SELECT 1")
                    }
                    for _ in 0..<(number % 13) { await Task.yield() }
                    first.cancel()
                    do { _ = try await first.value } catch is CancellationError {}
                    // The cancellation may have ended the transaction (25P02), or its BEGIN (25P01).
                    let error = await databaseError { _ = try await db.run("INSERT INTO item VALUES (\(number))") }
                    #expect(error == nil || ["25P01", "25P02"].contains(error?.sqlState))
                    throw Refusal()
                }
            }
        }
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == 0)
    }

    @Test("a statement that outlives its transaction takes effect with it or is rejected, and meets no other transaction")
    func escaped() async throws {
        let pool = try await Self.pool(1)
        _ = try await pool.run("CREATE TABLE item (number bigint)")
        let inserted = Tally()
        try await Self.repeated(1000) { number, executor in
            let escaped = try await pool.transaction { db in
                _ = try await db.run("SELECT 1")
                let escaped = Task(executorPreference: executor) {
                    try await db.run("INSERT INTO item VALUES (\(number))")
                }
                for _ in 0..<(number % 13) { await Task.yield() }
                return escaped
            }
            do {
                _ = try await escaped.value
                inserted.add()
            } catch let error as DatabaseError where error.kind == .misuse {}
            await #expect(throws: Refusal.self) {
                try await pool.transaction { db in
                    _ = try await db.run("SELECT 1")
                    throw Refusal()
                }
            }
        }
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == inserted.count)
    }

    /// Lends all four sessions of a pool at once.
    private func lendAll(_ pool: DatabasePool) async throws {
        let lent = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...4 {
                group.addTask {
                    try await pool.transaction { db in
                        _ = try await db.run("SELECT 1")
                        lent.add()
                        try await eventually("all sessions are lent") { lent.count == 4 }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("a promise that is fulfilled before or after its task waits")
    func promise() async throws {
        // With the preference, the task can be suspended between the check and the wait.
        await withTaskExecutorPreference(globalConcurrentExecutor) {
            for _ in 1...1000 {
                let promise = await Promise<Int>()
                async let value = promise.wait()
                async let _ = promise.fulfill(7)
                #expect(await value == 7)
            }
        }
    }
}
