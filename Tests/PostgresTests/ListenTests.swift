import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("LISTEN")
struct ListenTests {
    @Test("notifications arrive in order, from the requested channels, with any names")
    func notifications() async throws {
        let pool = try TestDatabase.pool(try await TestDatabase.empty().ownerURL)
        var events = pool.listen(["changed", #"Odd "name""#]).makeAsyncIterator()
        #expect(try await events.next() == .connected)
        _ = try await pool.run([
            "SELECT pg_notify('changed', \("one ü"))", "SELECT pg_notify('other', 'x')", #"SELECT pg_notify('Odd "name"', '')"#,
        ])
        #expect(try await events.next() == .notification(channel: "changed", payload: "one ü"))
        #expect(try await events.next() == .notification(channel: #"Odd "name""#, payload: ""))
    }

    @Test("a lost connection is reported, and listening continues when the server is back")
    func reconnects() async throws {
        let cluster = try await TestCluster.own()
        let pool = try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres"))
        var events = pool.listen(["changed"]).makeAsyncIterator()
        #expect(try await events.next() == .connected)
        try await cluster.crash()
        #expect(try await events.next() == .disconnected)
        try await cluster.start()
        #expect(try await events.next() == .connected)
        _ = try await pool.run("NOTIFY changed, 'again'")
        #expect(try await events.next() == .notification(channel: "changed", payload: "again"))
        try await cluster.stop()
    }

    @Test("a session that is too old is replaced by one that listens before it ends")
    func maximumAge() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let pool = try TestDatabase.pool(url)
        let listening = try TestDatabase.pool(url) { $0.maximumAge = .milliseconds(200) }
        let listener: SQL = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%' ORDER BY 1"
        _ = try await pool.run("SELECT 1")
        var events = listening.listen(["changed"]).makeAsyncIterator()
        #expect(try await events.next() == .connected)
        let first = try await pool.run(listener).map { try $0.get("pid", as: Int.self) }
        var (connections, notifications) = (1, 0)
        while connections < 5 || notifications == 0 {
            switch try #require(await events.next()) {
            case .connected:
                connections += 1
                // The old session may have missed the last notification, so the new one gets another.
                _ = try await pool.run("NOTIFY changed")
            case .notification: notifications += 1
            case .disconnected: Issue.record("no session listened")
            }
        }
        try await eventually("other sessions listen, and the old ones have ended") {
            let last = try await pool.run(listener).map { try $0.get("pid", as: Int.self) }
            return !last.isEmpty && last.count <= 2 && Set(first).isDisjoint(with: last)
        }
    }

    @Test("a session that cannot be replaced continues to listen")
    func replacementFails() async throws {
        let cluster = try await TestCluster.own()
        let administration = try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres"))
        _ = try await administration.run("CREATE DATABASE other")
        let url = await cluster.url(user: "postgres", database: "other")
        let pool = try TestDatabase.pool(url) { $0.maximumConnections = 1 }
        let log = RecordedLog()
        var configuration = DatabasePool.Configuration(url: url)
        configuration.maximumAge = .seconds(1)
        let listening = try DatabasePool(configuration, logger: log.logger)
        _ = try await pool.run("SELECT 1")
        var events = listening.listen(["changed"]).makeAsyncIterator()
        #expect(try await events.next() == .connected)
        _ = try await administration.run("ALTER DATABASE other ALLOW_CONNECTIONS false")
        try await eventually("a replacement was attempted") { log.text.contains("still listening to PostgreSQL over an old connection") }
        _ = try await pool.run("NOTIFY changed, 'here'")
        var event = try await events.next()
        // Before the database accepted no connections.
        while event == .connected { event = try await events.next() }
        #expect(event == .notification(channel: "changed", payload: "here"))
        try await cluster.stop()
    }

    @Test("it ends with the listening task, and its session ends too")
    func ends() async throws {
        let pool = try TestDatabase.pool(try await TestDatabase.empty().ownerURL)
        let (connected, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task { for await event in pool.listen(["changed"]) where event == .connected { signal.finish() } }
        for await _ in connected {}
        task.cancel()
        await task.value
        #expect(try await pool.wait(until: "SELECT count(*) = 1 AS done FROM pg_stat_activity WHERE datname = current_database()"))
    }
}
