import EmbeddedPostgres
import Foundation
import TestSupport
import Testing

@testable import Postgres

/// Calls that occupy all threads of the driver for calls that block.
@Suite("Blocked threads", .timeLimit(.minutes(5)))
struct BlockedThreadsTests {
    private static let threads = 4

    /// Runs many more tasks than there are threads.
    private static func runManyTasks() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...1000 {
                group.addTask { for _ in 1...10 { await Task.yield() } }
            }
        }
    }

    @Test("look-ups that do not end stop no task and no connection to an address, and then continue")
    func lookUps() async throws {
        let database = try await TestDatabase.empty()
        let pool = try TestDatabase.pool(database.ownerURL)
        let gate = DispatchSemaphore(value: 0)
        // Also after an error, because all look-ups of this name wait for it.
        defer { for _ in 1...Self.threads { gate.signal() } }
        let blocked = Tally()
        let calls = (1...Self.threads).map { _ in
            Task {
                await Blocking.lookUps(of: "localhost").run {
                    blocked.add()
                    gate.wait()
                }
            }
        }
        try await eventually("all threads are occupied") { blocked.count == Self.threads }
        let hole = try BlackHole()
        let connector = Connector(
            try ConnectionParameters(
                url: "host=localhost port=\(hole.port) user=u dbname=d connect_timeout=600", applicationName: nil, settings: []))
        let before = hole.attempts()
        let attempts = (1...16).map { _ in Task { try await connector.connect() } }
        await Self.runManyTasks()
        #expect(try await pool.run("SELECT 1 AS n")[0].get("n") == 1)
        // The hole's own attempts may end.
        #expect(hole.attempts() <= before)
        // No more than these, even with the look-ups of other tests.
        #expect(Blocking.lookUps(of: "localhost").load.threads == Self.threads)
        for _ in calls { gate.signal() }
        for call in calls { await call.value }
        try await eventually("the connections are attempted") { hole.attempts() - before >= attempts.count }
        for attempt in attempts { attempt.cancel() }
        for attempt in attempts { await #expect(throws: CancellationError.self) { try await attempt.value } }
    }

    @Test("look-ups of a name that do not end do not delay those of another name")
    func lookUpsOfAnotherName() async throws {
        let gate = DispatchSemaphore(value: 0)
        defer { for _ in 1...Self.threads { gate.signal() } }
        let blocked = Tally()
        for _ in 1...Self.threads {
            Task {
                await Blocking.lookUps(of: "no-answer.test").run {
                    blocked.add()
                    gate.wait()
                }
            }
        }
        try await eventually("all threads of the name are occupied") { blocked.count == Self.threads }
        let hole = try BlackHole()
        let connector = Connector(
            try ConnectionParameters(
                url: "host=no-answer.test,localhost port=\(hole.port) user=u dbname=d connect_timeout=600"
                    + " target_session_attrs=read-write",
                applicationName: nil, settings: []))
        let before = hole.attempts()
        let attempt = Task { try await connector.connect() }
        try await eventually("the other name is connected to") { hole.attempts() > before }
        attempt.cancel()
        await #expect(throws: CancellationError.self) { try await attempt.value }
    }

    @Test("cancel requests that a frozen server does not answer stop no task and no statement at another server")
    func cancellations() async throws {
        let cluster = try await TestCluster.own()
        let url = await cluster.url(user: "postgres", database: "postgres")
        let frozen = try TestDatabase.pool(url) { $0.maximumConnections = 10 }
        let database = try await TestDatabase.empty()
        let other = try TestDatabase.pool(database.ownerURL) { $0.maximumConnections = 1 }
        let observer = try TestDatabase.pool(database.ownerURL)
        let server = try #require(try ConnectionParameters(url: url, applicationName: nil, settings: []).servers.first)
        let threads = Blocking.cancellations(at: server)
        let folder: String = try await frozen.run("SELECT current_setting('data_directory') AS folder")[0].get("folder")
        let file = try String(contentsOfFile: folder + "/postmaster.pid", encoding: .utf8)
        let postmaster = try #require(pid_t(file.split(separator: "\n")[0]))
        let calls = (1...8).map { _ in Task { try await frozen.run("SELECT pg_sleep(600)") } }
        #expect(
            try await frozen.wait(until: "SELECT count(*) = \(calls.count) AS done FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
        kill(postmaster, SIGSTOP)
        defer { kill(postmaster, SIGCONT) }
        for call in calls { call.cancel() }
        try await eventually("all threads are occupied") { threads.load == (Self.threads, calls.count - Self.threads) }
        await Self.runManyTasks()
        // Without threads for each server, the request would wait for the frozen one, and the session would end.
        let process: Int = try await other.run("SELECT pg_backend_pid() AS process")[0].get("process")
        let cancelled = Task { try await other.run("SELECT pg_sleep(600)") }
        #expect(
            try await observer.wait(
                until: "SELECT count(*) = 1 AS done FROM pg_stat_activity WHERE pid = \(process) AND wait_event = 'PgSleep'"))
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        #expect(try await other.run("SELECT pg_backend_pid() AS process")[0].get("process") == process)
        #expect(threads.load.threads == Self.threads)
        kill(postmaster, SIGCONT)
        for call in calls { await #expect(throws: CancellationError.self) { try await call.value } }
        #expect(try await frozen.run("SELECT 1 AS n")[0].get("n") == 1)
    }
}
