import EmbeddedPostgres
import Foundation
import Postgres
import TestSupport
import Testing

@Suite("EmbeddedPostgres")
struct EmbeddedPostgresTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func pool(of cluster: EmbeddedPostgres) async throws -> DatabasePool {
        try TestDatabase.pool(await cluster.url(user: "keeper", database: "postgres"))
    }

    private func cluster(in path: String) -> EmbeddedPostgres {
        EmbeddedPostgres(folder: path, superuser: "keeper", settings: ["fsync": "off"])
    }

    @Test("a second start uses the same data, even after a crash, and only the owner reaches the socket")
    func lifecycle() async throws {
        let first = cluster(in: folder.path + "/own")
        try await first.start()
        try await first.start()
        _ = try await pool(of: first).run("CREATE TABLE kept AS SELECT 7 AS n")
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path + "/own/run")[.posixPermissions] as? Int
        #expect(mode == 0o700)
        #expect(try await pool(of: first).run("SHOW listen_addresses")[0].get("listen_addresses") == "")
        try await first.stop()
        let second = cluster(in: folder.path + "/own/")
        try await second.start()
        #expect(try await pool(of: second).run("SELECT n FROM kept")[0].get("n") == 7)
        try await second.crash()
        try await second.start()
        #expect(try await pool(of: second).run("SELECT n FROM kept")[0].get("n") == 7)
        #expect(try await pool(of: second).run("SELECT current_setting('server_encoding') AS e")[0].get("e") == "UTF8")
        try await second.stop()
        try await second.stop()
    }

    @Test("a folder in use is rejected, and free again after the stop")
    func inUse() async throws {
        let first = cluster(in: folder.path)
        let second = cluster(in: folder.path)
        try await first.start()
        let error = await #expect(throws: EmbeddedPostgresError.self) { try await second.start() }
        #expect(error?.description.contains("in use by another process") == true)
        try await first.stop()
        try await second.start()
        try await second.stop()
    }

    @Test("a folder works even if its path is too long for a socket or contains special characters")
    func longPath() async throws {
        let path = folder.path + "/it's, a \(String(repeating: "long", count: 20)) way"
        let cluster = cluster(in: path)
        try await cluster.start()
        #expect(try await pool(of: cluster).run("SELECT 1 AS n")[0].get("n") == 1)
        try await cluster.stop()
    }

    @Test("a folder works even below a folder that the server's user cannot enter", .enabled(if: geteuid() == 0))
    func closedParent() async throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        let cluster = cluster(in: folder.path + "/checkout/.espalier")
        try await cluster.start()
        #expect(try await pool(of: cluster).run("SELECT 1 AS n")[0].get("n") == 1)
        try await cluster.stop()
    }

    @Test("a setting that the server rejects is an error with its message")
    func refusedSetting() async throws {
        let cluster = EmbeddedPostgres(folder: folder.path, settings: ["shared_buffers": "nonsense"])
        let error = await #expect(throws: EmbeddedPostgresError.self) { try await cluster.start() }
        #expect(error?.description.contains("shared_buffers") == true)
    }

    @Test("after a kill of the process, no server and no throw-away folder is left", arguments: [false, true])
    func killed(isThrowAway: Bool) async throws {
        let path = folder.path + "/cluster"
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, isThrowAway = isThrowAway as Bool] in
            let cluster = EmbeddedPostgres(folder: path, settings: ["fsync": "off"], isThrowAway: isThrowAway)
            try await cluster.start()
            let pool = try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres"))
            _ = try await pool.run("CREATE TABLE kept AS SELECT 7 AS n")
            kill(getpid(), SIGKILL)
        }
        if isThrowAway {
            try await eventually { !FileManager.default.fileExists(atPath: path) }
        } else {
            try await eventually { !FileManager.default.fileExists(atPath: path + "/data/postmaster.pid") }
            let next = EmbeddedPostgres(folder: path)
            try await next.start()
            let pool = try TestDatabase.pool(await next.url(user: "postgres", database: "postgres"))
            #expect(try await pool.run("SELECT n FROM kept")[0].get("n") == 7)
            try await next.stop()
        }
    }

    private func eventually(_ condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while !condition() {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
