import EmbeddedPostgres
import Foundation
import TestSupport
import Testing

@testable import Postgres

@Suite("Change of the primary")
struct PrimaryChangeTests {
    /// Rejects the first call with a state of PostgreSQL, as a server that was demoted or stops.
    private func rejectOnce(_ state: String, in pool: DatabasePool) async throws {
        _ = try await pool.run([
            "CREATE TABLE item (id int)", "CREATE SEQUENCE calls",
            SQL(
                unsafe: """
                    CREATE FUNCTION rejected_once() RETURNS int LANGUAGE plpgsql AS $$
                    BEGIN
                        IF nextval('calls') = 1 THEN RAISE EXCEPTION 'rejected' USING ERRCODE = '\(state)'; END IF;
                        RETURN pg_backend_pid();
                    END $$
                    """),
        ])
    }

    @Test(
        "after an error of a server that was demoted, stops or starts, the session is closed, and the statements run over another one",
        arguments: ["25006", "57P01", "57P02", "57P03"])
    func otherSession(state: String) async throws {
        let pool = try TestDatabase.pool(try await TestDatabase.empty().ownerURL) { $0.waitingTime = .seconds(60) }
        try await rejectOnce(state, in: pool)
        let first: Int = try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid")
        let (_, rows) = try await pool.run("INSERT INTO item VALUES (1)", "SELECT rejected_once() AS pid")
        #expect(try rows[0].get("pid") != first)
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == 1)
        #expect(try await pool.run("SELECT last_value AS n FROM calls")[0].get("n") == 2)
    }

    @Test("a transaction whose server stops before COMMIT runs again, with the same effect as once")
    func transaction() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let pool = try TestDatabase.pool(url) { $0.waitingTime = .seconds(60) }
        let other = try TestDatabase.pool(url)
        _ = try await pool.run("CREATE TABLE item (id int)")
        let tries = Tally()
        try await pool.transaction { db in
            let pid: Int = try await db.run("INSERT INTO item VALUES (1) RETURNING pg_backend_pid() AS pid")[0].get("pid")
            if tries.add() == 1 {
                _ = try await other.run("SELECT pg_terminate_backend(\(pid)::int, 60000)")
            }
            _ = try await db.run("INSERT INTO item VALUES (2)")
        }
        #expect(tries.count == 2)
        #expect(try await pool.run("SELECT count(*) AS n FROM item")[0].get("n") == 2)
    }

    @Test("an error of the body is not repeated")
    func bodyError() async throws {
        struct Refusal: Error {}
        let pool = try await SharedDatabase.pool()
        let tries = Tally()
        await #expect(throws: Refusal.self) {
            try await pool.transaction { db in
                tries.add()
                _ = try await db.run("SELECT 1")
                throw Refusal()
            }
        }
        #expect(tries.count == 1)
    }

    @Test("an idle session of a demoted server is not used again")
    func idle() async throws {
        let pool = try TestDatabase.pool(try await TestDatabase.empty().ownerURL) { $0.waitingTime = .seconds(60) }
        try await rejectOnce("25006", in: pool)
        let before = try await pids(4, of: pool)
        #expect(before.count == 4)
        _ = try await pool.run("SELECT rejected_once() AS pid")
        #expect(try await pids(4, of: pool).isDisjoint(with: before))
    }

    /// Uses sessions at the same time, and returns their process IDs.
    private func pids(_ count: Int, of pool: DatabasePool) async throws -> Set<Int> {
        let lent = Tally()
        return try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...count {
                group.addTask {
                    try await pool.transaction { db in
                        let pid: Int = try await db.run("SELECT pg_backend_pid() AS pid")[0].get("pid")
                        lent.add()
                        try await eventually("all sessions are lent") { lent.count == count }
                        return pid
                    }
                }
            }
            return try await group.reduce(into: []) { $0.insert($1) }
        }
    }

    @Test("a session is closed after its maximum age")
    func age() async throws {
        let pool = try await SharedDatabase.pool { $0.maximumAge = .zero }
        let first: Int = try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid")
        #expect(try await pool.run("SELECT pg_backend_pid() AS pid")[0].get("pid") != first)
    }

    @Test("while the primary is frozen, the pool and its listener find a new one, and do not wait for the limits of their statements")
    func frozen() async throws {
        let (pool, clusters) = try await Self.twoPrimaries()
        var events = pool.listen(["changed"]).makeAsyncIterator()
        #expect(try await events.next() == .connected)
        let folder: String = try await pool.run("SELECT current_setting('data_directory') AS folder")[0].get("folder")
        let frozen = try await Self.freeze(pool)
        defer { for process in frozen { kill(process, SIGCONT) } }
        let error = await databaseError { _ = try await pool.run("SELECT 1") }
        #expect(error?.message == "another server is the primary now")
        #expect(try await pool.run("SELECT current_setting('data_directory') AS folder")[0].get("folder") != folder)
        #expect(try await events.next() == .disconnected)
        #expect(try await events.next() == .connected)
        _ = try await pool.run("NOTIFY changed, 'here'")
        #expect(try await events.next() == .notification(channel: "changed", payload: "here"))
        withExtendedLifetime(clusters) {}
    }

    @Test("a COPY that a frozen primary does not continue ends as soon as there is another one")
    func frozenCopy() async throws {
        let (pool, clusters) = try await Self.twoPrimaries()
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let copy = Task {
            await databaseError {
                let statement: SQL = "COPY (SELECT repeat('x', 1000), pg_sleep(0.01) FROM generate_series(1, 1000000)) TO STDOUT"
                for try await _ in pool.copyOut(statement) { start.yield() }
            }
        }
        #expect(await started.first { _ in true } != nil)
        let frozen = try await Self.freeze(pool)
        defer { for process in frozen { kill(process, SIGCONT) } }
        #expect(await copy.value?.message == "another server is the primary now")
        withExtendedLifetime(clusters) {}
    }

    @Test("a new primary behind the address of a frozen one is found", .timeLimit(.minutes(5)))
    func sameAddress() async throws {
        let clusters = [try await TestCluster.own(), try await TestCluster.own()]
        let folder = try TemporaryFolder()
        let socket = folder.path + "/.s.PGSQL.5432"
        func lead(to cluster: EmbeddedPostgres) async throws {
            let url = await cluster.url(user: "postgres", database: "postgres")
            let server = try #require(try ConnectionParameters(url: url, applicationName: nil, settings: []).servers.first)
            try? FileManager.default.removeItem(atPath: socket)
            try FileManager.default.createSymbolicLink(
                atPath: socket, withDestinationPath: "\(server.host)/.s.PGSQL.\(server.port)")
        }
        try await lead(to: clusters[0])
        let pool = try TestDatabase.pool(
            "user=postgres dbname=postgres target_session_attrs=read-write connect_timeout=600"
                + " host=\(folder.path),/nowhere port=5432,5432"
        ) {
            $0.statementTimeout = .seconds(600)
            $0.waitingTime = .seconds(600)
        }
        var events = pool.listen(["changed"]).makeAsyncIterator()
        #expect(try await events.next() == .connected)
        let frozen = try await Self.freeze(pool)
        defer { for process in frozen { kill(process, SIGCONT) } }
        try await lead(to: clusters[1])
        let error = await databaseError { _ = try await pool.run("SELECT 1") }
        #expect(error?.message == "another server is the primary now")
        withExtendedLifetime(clusters) {}
    }

    /// A pool with two servers that accept changes. It uses the first one.
    private static func twoPrimaries() async throws -> (DatabasePool, [EmbeddedPostgres]) {
        let clusters = [try await TestCluster.own(), try await TestCluster.own()]
        let servers = try await clusters.asyncMap { cluster in
            let url = await cluster.url(user: "postgres", database: "postgres")
            return try #require(try ConnectionParameters(url: url, applicationName: nil, settings: []).servers.first)
        }
        let url =
            "user=postgres dbname=postgres target_session_attrs=read-write connect_timeout=600"
            + " host=\(servers.map(\.host).joined(separator: ",")) port=\(servers.map(\.port).joined(separator: ","))"
        let pool = try TestDatabase.pool(url) {
            $0.statementTimeout = .seconds(600)
            $0.waitingTime = .seconds(600)
        }
        return (pool, clusters)
    }

    /// Stops the server of a pool, with its connections: that of the statement here, and at least one other.
    /// - Returns: its processes.
    private static func freeze(_ pool: DatabasePool) async throws -> [pid_t] {
        let folder: String = try await pool.run("SELECT current_setting('data_directory') AS folder")[0].get("folder")
        let postmaster = String(decoding: try Data(contentsOf: URL(filePath: folder + "/postmaster.pid")), as: UTF8.self)
        let backends = try await pool.run("SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend'").map {
            pid_t(try $0.get("pid", as: Int.self))
        }
        let processes = [try #require(pid_t(postmaster.split(separator: "\n")[0]))] + backends
        try #require(processes.count >= 3, "the other session is with the other server")
        for process in processes { kill(process, SIGSTOP) }
        return processes
    }

    @Test("a slow statement is not mistaken for a frozen server")
    func slow() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let server = try #require(try ConnectionParameters(url: url, applicationName: nil, settings: []).servers.first)
        let pool = try TestDatabase.pool(
            "\(url)&host=\(server.host),/nowhere&port=\(server.port),\(server.port)&target_session_attrs=read-write")
        #expect(try await pool.run("SELECT pg_sleep(2.5), 1 AS n")[0].get("n") == 1)
    }

    @Test("a slow statement is not mistaken for a frozen server, if the server is found under another name")
    func otherName() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let server = try #require(try ConnectionParameters(url: url, applicationName: nil, settings: []).servers.first)
        let folder = try TemporaryFolder()
        let name = folder.path + "/name"
        try FileManager.default.createSymbolicLink(atPath: name, withDestinationPath: server.host)
        let pool = try TestDatabase.pool(
            "\(url)&host=\(name),\(server.host)&port=\(server.port),\(server.port)&target_session_attrs=read-write")
        try await pool.transaction { db in
            _ = try await db.run("SELECT 1")
            try FileManager.default.removeItem(atPath: name)
            #expect(try await db.run("SELECT pg_sleep(2.5), 1 AS n")[0].get("n") == 1)
        }
    }
}

extension Sequence {
    fileprivate func asyncMap<T>(_ transform: (Element) async throws -> T) async rethrows -> [T] {
        var results: [T] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
