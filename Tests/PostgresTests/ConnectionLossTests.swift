import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Connection loss", .serialized)
struct ConnectionLossTests {
    @Test("a connection lost in a transaction fails it, rolls it back, and leaves the pool usable")
    func cutInTransaction() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let pool = try TestDatabase.pool(url)
        let other = try TestDatabase.pool(url)
        _ = try await pool.run("CREATE TABLE item (id int)")
        let error = await databaseError {
            // In each repetition.
            try await pool.transaction { db in
                let pid: Int = try await db.run("INSERT INTO item VALUES (1) RETURNING pg_backend_pid() AS pid")[0].get("pid")
                _ = try await other.run("SELECT pg_terminate_backend(\(pid)::int)")
                #expect(try await other.wait(until: "SELECT count(*) = 0 AS done FROM pg_stat_activity WHERE pid = \(pid)"))
                _ = try await db.run("INSERT INTO item VALUES (2)")
            }
        }
        #expect(error?.kind == .connection)
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == 0)
    }

    @Test("a frozen server, which does not apply its own limits, is given up in time")
    func frozen() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let pool = try TestDatabase.pool(url) { $0.statementTimeout = .seconds(2) }
        let pid: Int = try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid")
        kill(pid_t(pid), SIGSTOP)
        let error = await databaseError { _ = try await pool.run("SELECT 1") }
        kill(pid_t(pid), SIGCONT)
        #expect(error?.kind == .connection)
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("a statement that its server ends with the session is repeated over another one")
    func cutInStatement() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let pool = try TestDatabase.pool(url) { $0.waitingTime = .seconds(60) }
        let other = try TestDatabase.pool(url)
        _ = try await pool.run("CREATE SEQUENCE attempts")
        async let rows = pool.run("SELECT nextval('attempts') AS n, pg_sleep(CASE WHEN currval('attempts') = 1 THEN 600 ELSE 0 END)")
        #expect(try await other.wait(until: "SELECT is_called AS done FROM attempts"))
        _ = try await other.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(CASE%' AND pid <> pg_backend_pid()"
        )
        #expect(try await rows[0].get("n") == 2)
    }

    @Test("a statement whose connection is lost without an answer is not repeated, because it may have taken effect")
    func lostAnswer() async throws {
        let cluster = try await TestCluster.own()
        let url = await cluster.url(user: "postgres", database: "postgres")
        let (pool, other) = (try TestDatabase.pool(url), try TestDatabase.pool(url))
        async let error = databaseError { _ = try await pool.run("SELECT pg_sleep(600) AS lost") }
        #expect(
            try await other.wait(
                until:
                    "SELECT count(*) = 1 AS done FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600) AS lost' AND wait_event = 'PgSleep'"
            ))
        try await cluster.crash()
        try await cluster.start()
        #expect(await error?.kind == .connection)
        let other2 = try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres"))
        #expect(try await other2.run("SELECT count(*) AS n FROM pg_stat_activity WHERE query LIKE '%AS lost'")[0].get("n") == 0)
    }

    @Test("a lost idle connection is detected before its use")
    func cutWhileIdle() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let pool = try TestDatabase.pool(url)
        let other = try TestDatabase.pool(url)
        for _ in 1...20 {
            let pid: Int = try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid")
            _ = try await other.run("SELECT pg_terminate_backend(\(pid)::int, 10000)")
            #expect(try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid") != pid)
        }
    }

    @Test("after a kill under load and a restart, acknowledged data exists, and the pool recovers automatically")
    func crash() async throws {
        // Acknowledged data must be on disk here, as in production.
        let cluster = try await TestCluster.own(settings: [:])
        let url = await cluster.url(user: "postgres", database: "postgres")
        // The test waits until every writer has given up.
        let pool = try TestDatabase.pool(url) { $0.waitingTime = .seconds(10) }
        let patient = try TestDatabase.pool(url)
        _ = try await patient.run("CREATE TABLE item (id int PRIMARY KEY)")
        let acknowledged = try await withThrowingTaskGroup(of: [Int].self) { group in
            for writer in 0..<8 {
                group.addTask {
                    var written: [Int] = []
                    for number in 0... {
                        let id = writer * 1_000_000 + number
                        do {
                            _ = try await pool.run("INSERT INTO item VALUES (\(id))")
                            written.append(id)
                        } catch let error as DatabaseError {
                            #expect(error.kind == .connection)
                            return written
                        }
                    }
                    return written
                }
            }
            let observer = try TestDatabase.pool(url)
            #expect(try await observer.wait(until: "SELECT count(*) > 100 AS done FROM item"))
            try await cluster.crash()
            return try await group.reduce(into: [Int]()) { $0 += $1 }
        }
        #expect(acknowledged.count > 50)
        // In the meantime, callers wait for the server.
        async let waiting = patient.run("SELECT id FROM item").map { try $0.get("id", as: Int.self) }
        try await cluster.start()
        let there = Set(try await waiting)
        #expect(there.isSuperset(of: acknowledged))
        #expect(there.count <= acknowledged.count + 8)
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == there.count)
        try await cluster.stop()
    }

    @Test("while the server is down, callers get an error in time")
    func away() async throws {
        let cluster = try await TestCluster.own()
        let pool = try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres")) { $0.waitingTime = .seconds(2) }
        _ = try await pool.run("SELECT 1")
        try await cluster.crash()
        for _ in 1...3 { #expect(await databaseError { _ = try await pool.run("SELECT 1") }?.kind == .connection) }
        try await cluster.stop()
    }
}
