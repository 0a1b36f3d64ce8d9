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

    @Test("under load with cancellations, every caller gets an answer, and no session is lost")
    func stress() async throws {
        let pool = try TestDatabase.pool(try await TestDatabase.empty().ownerURL) {
            $0.maximumConnections = 4
            $0.maximumWaiting = 4000
            $0.waitingTime = .seconds(60)
        }
        let executors = (0..<4).map { _ in Executor() }
        let answered = Tally()
        let cancelled = Tally()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4000 {
                group.addTask(executorPreference: executors[number % executors.count]) {
                    let task = Task(executorPreference: executors[(number + 1) % executors.count]) {
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
                if number.isMultiple(of: 64) { try await group.next() }
            }
            try await group.waitForAll()
        }
        #expect(answered.count + cancelled.count == 4000)
        #expect(answered.count >= 2600)
        // All sessions can be lent at once.
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
