import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("Connector")
struct ConnectorTests {
    private func parameters(_ url: String) throws -> ConnectionParameters {
        try ConnectionParameters(url: url, applicationName: nil, settings: [])
    }

    @Test("connections to a host that drops packets stop no task, and end at their time limit")
    func blackHole() async throws {
        let hole = try BlackHole()
        let before = hole.attempts()
        let pool = try TestDatabase.pool("host=127.0.0.1 port=\(hole.port) user=u dbname=d connect_timeout=10") {
            $0.waitingTime = .seconds(60)
        }
        let waiting = (1...16).map { _ in Task { try await pool.run("SELECT 1") } }
        let connector = Connector(try parameters("host=127.0.0.1 port=\(hole.port) user=u dbname=d connect_timeout=10"))
        let ended = Tally()
        let attempts = (1...16).map { _ in
            Task {
                defer { ended.add() }
                return await databaseError { _ = try await connector.connect() }
            }
        }
        // If an attempt kept a thread of Swift's pool, there would never be more of them than threads.
        try await eventually("all attempts are in progress") { hole.attempts() - before >= attempts.count }
        // Many more tasks than threads, each with its own suspensions. They are done before an attempt ends.
        let done = Tally()
        await withTaskGroup(of: Void.self) { group in
            for _ in 1...1000 {
                group.addTask {
                    for _ in 1...10 { await Task.yield() }
                    done.add()
                }
            }
        }
        #expect(done.count == 1000)
        #expect(ended.count == 0)
        for attempt in attempts {
            #expect(await attempt.value?.message == "127.0.0.1:\(hole.port): not connected within 10.0 seconds")
        }
        for task in waiting { task.cancel() }
        for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    }

    @Test("a blocked look-up or cancel request stops no task, and their threads are limited")
    func blocking() async throws {
        let threads = Blocking(name: "test", threads: 2)
        let blocked = Tally()
        let gate = DispatchSemaphore(value: 0)
        let calls = (1...64).map { number in
            Task {
                await threads.run {
                    blocked.add()
                    gate.wait()
                    return number
                }
            }
        }
        try await eventually("two threads are blocked") { blocked.count == 2 }
        // Without threads of their own, no further task would run.
        for _ in 1...1000 { await Task.detached { await Task.yield() }.value }
        #expect(blocked.count == 2)
        for _ in calls { gate.signal() }
        for (number, call) in zip(1..., calls) { #expect(await call.value == number) }
    }

    @Test("a server that does not answer delays the next one only briefly, and the next connection tries the latter first")
    func race() async throws {
        let hole = try BlackHole()
        let url = try await TestDatabase.empty().ownerURL
        let good = try #require(try parameters(url).servers.first)
        let connector = Connector(
            try parameters(
                "\(url)&host=127.0.0.1,\(good.host)&port=\(hole.port),\(good.port)&target_session_attrs=read-write&connect_timeout=600"))
        for _ in 1...2 {
            let session = try await DatabaseSession.open(connector)
            #expect(await session.server == good)
            #expect(try await session.run(["SELECT 1 AS n"])[0][0].get("n") == 1)
            await session.close()
        }
    }

    @Test("without a required kind, the order of the URL is a preference, and each server has its own time limit")
    func order() async throws {
        let hole = try BlackHole()
        let url = try await TestDatabase.empty().ownerURL
        let good = try #require(try parameters(url).servers.first)
        let connector = Connector(
            try parameters("\(url)&host=\(good.host),127.0.0.1,\(good.host)&port=1,\(hole.port),\(good.port)&connect_timeout=2"))
        let session = try await DatabaseSession.open(connector)
        #expect(await session.server == good)
        await session.close()
    }

    @Test("the error names the reason of each server")
    func reasons() async throws {
        let connector = Connector(
            try parameters("host=127.0.0.1,no-such-host.invalid,/nowhere port=1 user=u dbname=d target_session_attrs=read-write"))
        let message = try #require(await databaseError { _ = try await connector.connect() }?.message)
        #expect(message.contains("connection to server at \"127.0.0.1\", port 1 failed: Connection refused"))
        #expect(message.contains("no-such-host.invalid: "))
        #expect(message.contains("/nowhere"))
    }

    @Test("a cancelled attempt ends at once")
    func cancelled() async throws {
        let hole = try BlackHole()
        let before = hole.attempts()
        let connector = Connector(try parameters("host=127.0.0.1 port=\(hole.port) connect_timeout=600"))
        let attempt = Task { try await connector.connect() }
        try await eventually("it waits for the server") { hole.attempts() > before }
        attempt.cancel()
        await #expect(throws: (any Error).self) { try await attempt.value }
    }

    @Test(
        "hosts, addresses and ports are combined as by libpq",
        arguments: [
            ("host=a,b port=1,2", ["a  1", "b  2"]), ("host=a,b port=7", ["a  7", "b  7"]),
            ("hostaddr=1.1.1.1,::1", [" 1.1.1.1 5432", " ::1 5432"]),
            ("host=a,b hostaddr=1.1.1.1,2.2.2.2 port=1,2", ["a 1.1.1.1 1", "b 2.2.2.2 2"]),
            ("host=a,,c", ["a  5432", "  5432", "c  5432"]),
            ("postgresql://u@a:1,[::2]:2/d", ["a  1", "::2  2"]), ("dbname=d", ["  5432"]),
        ])
    func lists(url: String, servers: [String]) throws {
        #expect(try parameters(url).servers.map { "\($0.host) \($0.address) \($0.port)" } == servers)
    }

    @Test("a part of the password that became a host is not shown", arguments: ["", "\u{0301}", "\u{0600}", "\u{200D}"])
    func passwordInHost(mark: String) throws {
        let error = #expect(throws: DatabaseError.self) { try parameters("postgresql://user:p\(mark)@sec\(mark)@host.example/d") }
        #expect(error?.message?.contains("%40") == true)
        #expect(error?.message?.contains("sec") == false)
    }

    @Test(
        "a part of a password with a : or a / that is not escaped is neither a port nor a database name",
        arguments: ["postgresql://user:p@host:sec@host.example/d", "postgresql://user:p@sec/sec@host.example/d"])
    func passwordInPort(url: String) throws {
        let error = #expect(throws: DatabaseError.self) { try parameters(url) }
        #expect(error?.message?.contains("%40") == true)
        #expect(error?.message?.contains("sec") == false)
    }

    @Test(
        "lists of different lengths and an unknown connection service are rejected",
        arguments: [
            "host=a,b port=1,2,3", "host=a,b hostaddr=1.1.1.1", "service=no-such-service",
        ])
    func rejected(url: String) throws {
        #expect(throws: DatabaseError.self) { try parameters(url) }
    }
}
