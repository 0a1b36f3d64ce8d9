import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Cancellation")
struct CancellationTests {
    private let pool: DatabasePool
    private let observer: DatabasePool

    init() async throws {
        let url = try await TestDatabase.empty().ownerURL
        pool = try TestDatabase.pool(url) { $0.maximumConnections = 1 }
        observer = try TestDatabase.pool(url)
        _ = try await pool.run("CREATE TABLE item (id int)")
    }

    private func isRunning(_ fragment: String) async throws -> Bool {
        try await observer.wait(
            until: """
                SELECT count(*) > 0 AS done FROM pg_stat_activity
                WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid() AND query LIKE \("%\(fragment)%")
                """)
    }

    private func isIdle() async throws -> Bool {
        try await observer.wait(
            until: """
                SELECT count(*) = 0 AS done FROM pg_stat_activity
                WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()
                """)
    }

    @Test("cancelling the task cancels the query, and the pool stays usable")
    func query() async throws {
        let pid: Int = try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid")
        let task = Task { [pool] in try await pool.run("SELECT pg_sleep(600)") }
        #expect(try await isRunning("pg_sleep"))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await isIdle())
        // The connection was reused, not replaced.
        #expect(try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid") == pid)
    }

    @Test("a transaction whose task is cancelled is rolled back")
    func transaction() async throws {
        let task = Task { [pool] in
            try await pool.transaction { db in
                _ = try await db.run("INSERT INTO item VALUES (1)")
                _ = try await db.run("SELECT pg_sleep(600)")
            }
        }
        #expect(try await isRunning("pg_sleep"))
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == 0)
    }

    @Test("a body that returns in a cancelled task is not committed")
    func deafBody() async throws {
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [pool] in
            try await pool.transaction { db in
                _ = try await db.run("INSERT INTO item VALUES (1)")
                signal.finish()
                while !Task.isCancelled { await Task.yield() }
            }
        }
        for await _ in signals {}
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == 0)
    }

    @Test("a task that is already cancelled sends nothing")
    func alreadyCancelled() async throws {
        let task = Task { [pool] in
            while !Task.isCancelled { await Task.yield() }
            _ = try await pool.run("INSERT INTO item VALUES (1)")
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == 0)
    }

    @Test("a hundred early and late cancellations never affect another statement")
    func stray() async throws {
        for number in 1...100 {
            let task = Task { [pool] in try await pool.run("SELECT pg_sleep(0.001)") }
            if number % 2 == 0 { for _ in 0..<number { await Task.yield() } }
            task.cancel()
            #expect(try await pool.run("SELECT pg_sleep(0.002), \(number) AS n")[0].get("n") == number)
            _ = await task.result
        }
    }
}
