import EmbeddedPostgres
import Foundation
import ServiceLifecycle
import TestSupport
import Testing

@testable import Postgres

@Suite("DatabasePool")
struct DatabasePoolTests {
    private let url: String

    init() async throws {
        url = try await TestDatabase.empty().ownerURL
    }

    private static let sessions: SQL = "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database()"

    @Test("no more connections than allowed are opened, and all callers are served")
    func maximum() async throws {
        let pool = try TestDatabase.pool(url) { $0.maximumConnections = 3 }
        let pids = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...200 { group.addTask { try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid") } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(pids.count == 200)
        #expect(Set(pids).count <= 3)
        #expect(try await pool.run(Self.sessions)[0].get("n", as: Int.self) <= 3)
    }

    @Test("consecutive callers share one connection")
    func lastInFirstOut() async throws {
        let pool = try TestDatabase.pool(url) { $0.maximumConnections = 3 }
        var pids: Set<Int> = []
        for _ in 1...20 { pids.insert(try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid")) }
        #expect(pids.count == 1)
    }

    @Test("a caller that waits too long gets an error, and so does a caller of a full queue")
    func waitingLimits() async throws {
        let pool = try TestDatabase.pool(url) {
            $0.maximumConnections = 1
            $0.maximumWaiting = 1
            // Long enough for both requests, even on a very busy machine.
            $0.waitingTime = .seconds(3)
        }
        try await pool.transaction { db in
            _ = try await db.run("SELECT 1")
            async let first = databaseError { _ = try await pool.run("SELECT 1") }
            async let second = databaseError { _ = try await pool.run("SELECT 1") }
            let errors = await [first, second]
            #expect(errors.map { $0?.kind } == [.poolTimeout, .poolTimeout])
            #expect(errors.count { $0?.description.contains("already waiting") == true } == 1)
            #expect(await pool.load.refused == 2)
        }
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("a caller with little time does not wait for the deadline of an earlier one", .timeLimit(.minutes(1)))
    func earlierDeadline() async throws {
        let parameters = try ConnectionParameters(url: url, applicationName: nil, settings: [])
        var configuration = DatabasePool.Configuration(url: url, maximumConnections: 1)
        configuration.waitingTime = .seconds(600)
        let sessions = DatabaseSessions(configuration, connector: Connector(parameters), logger: .silent)
        let lent = try await sessions.lend()
        let patient = Task { try await sessions.lend() }
        try await eventually("one caller waits") { await sessions.load.waiting == 1 }
        let error = await databaseError { _ = try await sessions.lend(until: .now + .milliseconds(50)) }
        #expect(error?.kind == .poolTimeout)
        await sessions.giveBack(lent)
        await sessions.giveBack(try await patient.value)
        await sessions.close()
    }

    @Test("a caller that is cancelled leaves the queue")
    func cancelledWaiter() async throws {
        let pool = try TestDatabase.pool(url) {
            $0.maximumConnections = 1
            $0.maximumWaiting = 1
            $0.waitingTime = .seconds(60)
        }
        try await pool.transaction { db in
            _ = try await db.run("SELECT 1")
            for _ in 1...3 {
                let waiting = Task { try await pool.run("SELECT 1") }
                try await eventually("it is in the queue") { await pool.load.waiting == 1 }
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
            }
        }
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }

    @Test("run keeps the minimum open; a graceful shutdown waits for statements in progress, and lends no more")
    func lifecycle() async throws {
        let pool = try TestDatabase.pool(url) { $0.minimumConnections = 3 }
        let group = ServiceGroup(services: [pool], logger: .silent)
        async let running: Void = group.run()
        let observer = try TestDatabase.pool(url)
        #expect(try await observer.wait(until: "SELECT count(*) = 4 AS done FROM pg_stat_activity WHERE datname = current_database()"))
        let result = try await pool.transaction { db in
            _ = try await db.run("SELECT 1")
            await group.triggerGracefulShutdown()
            #expect(try await observer.wait(until: "SELECT count(*) = 2 AS done FROM pg_stat_activity WHERE datname = current_database()"))
            #expect(await databaseError { _ = try await pool.run("SELECT 1") }?.kind == .connection)
            return try await db.run("SELECT 7 AS n")[0].get("n", as: Int.self)
        }
        #expect(result == 7)
        try await running
        #expect(try await observer.wait(until: "SELECT count(*) = 1 AS done FROM pg_stat_activity WHERE datname = current_database()"))
    }

    @Test("a cancelled run ends at once, even if a session is still lent", .timeLimit(.minutes(1)))
    func cancelledRun() async throws {
        let pool = try TestDatabase.pool(url)
        try await pool.transaction { db in
            _ = try await db.run("SELECT 1")
            let running = Task { try await pool.run() }
            running.cancel()
            try await running.value
        }
    }

    @Test("a wait for the end of all sessions ends with its task", .timeLimit(.minutes(1)))
    func cancelledDrain() async throws {
        let parameters = try ConnectionParameters(url: url, applicationName: nil, settings: [])
        let sessions = DatabaseSessions(.init(url: url), connector: Connector(parameters), logger: .silent)
        let lent = try await sessions.lend()
        await sessions.close()
        let first = Task { await sessions.drain() }
        let second = Task { await sessions.drain() }
        try await eventually("both wait") { await sessions.whenEmpty.count == 2 }
        first.cancel()
        await first.value
        await sessions.giveBack(lent)
        await second.value
    }

    @Test("idle connections are closed, and a released pool closes all")
    func closing() async throws {
        let observer = try TestDatabase.pool(url) { $0.maximumConnections = 1 }
        var pool: DatabasePool? = try TestDatabase.pool(url) { $0.idleTime = .milliseconds(1) }
        try await withThrowingTaskGroup(of: Void.self) { [pool] group in
            for _ in 1...4 { group.addTask { _ = try await pool?.run("SELECT pg_sleep(0.05)") } }
            try await group.waitForAll()
        }
        #expect(try await observer.wait(until: "SELECT count(*) <= 2 AS done FROM pg_stat_activity WHERE datname = current_database()"))
        pool = nil
        #expect(try await observer.wait(until: "SELECT count(*) = 1 AS done FROM pg_stat_activity WHERE datname = current_database()"))
    }

    @Test("sessions have the pool's settings from the first statement, and the URL's own options take precedence")
    func settings() async throws {
        let pool = try TestDatabase.pool(url + "&options=-c%20work_mem%3D5MB%20-c%20lock_timeout%3D7s") {
            $0.applicationName = "a test"
            $0.statementTimeout = .milliseconds(12_345)
        }
        func setting(_ name: String) async throws -> String {
            try await pool.run("SELECT current_setting(\(name)) AS value")[0].get("value")
        }
        #expect(try await setting("statement_timeout") == "12345ms")
        #expect(try await setting("lock_timeout") == "7s")
        #expect(try await setting("work_mem") == "5MB")
        #expect(try await setting("TimeZone") == "UTC")
        #expect(try await setting("client_encoding") == "UTF8")
        #expect(try await setting("application_name") == "a test")
    }

    @Test("a transaction can extend the time limit of its statements beyond that of the pool")
    func longerLimit() async throws {
        let pool = try TestDatabase.pool(url) { $0.statementTimeout = .milliseconds(100) }
        // The pool gives up a server 5 seconds after the limit.
        let slept = try await pool.transaction { db in
            try await db.run("SELECT pg_sleep(6) IS NOT NULL AS slept", upTo: .seconds(600))[0][0].get("slept", as: Bool.self)
        }
        #expect(slept)
        let error = await databaseError {
            _ = try await pool.transaction { db in try await db.run("SELECT pg_sleep(600)", upTo: .milliseconds(200)) }
        }
        #expect(error?.sqlState == "57014")
        let usual: String = try await pool.run("SELECT current_setting('statement_timeout') AS value")[0].get("value")
        #expect(usual == "100ms")
    }

    @Test("a URL that libpq cannot parse is rejected without repeating it")
    func badURL() throws {
        let error = try #require(#expect(throws: DatabaseError.self) { try TestDatabase.pool("postgresql://user:secret@[host/") })
        #expect(error.kind == .misuse)
        #expect(!"\(error)".contains("secret"))
    }

    @Test("without a server, callers get an error in time that names the address")
    func nobodyThere() async throws {
        let pool = try TestDatabase.pool("postgresql://user:secret@127.0.0.1:1/db") { $0.waitingTime = .milliseconds(200) }
        let error = try #require(await databaseError { _ = try await pool.run("SELECT 1") })
        #expect(error.kind == .connection)
        #expect(error.description.contains("127.0.0.1"))
        #expect(!error.description.contains("secret"))
    }

    @Test("the first of several hosts that is alive and accepts writes is used")
    func severalHosts() async throws {
        let socket = try #require(URLComponents(string: url)?.queryItems?.first { $0.name == "host" }?.value)
        let database = try #require(URLComponents(string: url)?.path.dropFirst())
        let pool = try TestDatabase.pool(
            "host=127.0.0.1,\(socket) port=1,5432 user=espalier dbname=\(database) target_session_attrs=read-write")
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
    }
}
