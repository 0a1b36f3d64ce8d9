import Postgres
import TestSupport
import Testing

/// Poolers between the driver and PostgreSQL, with Debian's PgBouncer.
@Suite("Pooling")
struct PoolingTests {
    @Test("a connection to PostgreSQL itself is not pooled")
    func direct() async throws {
        #expect(try await Pooling.detect(url: try await SharedDatabase.url) == .none)
    }

    @Test(
        "transaction and statement pooling are detected with any number of sessions and in any order of them",
        arguments: [
            ["default_pool_size = 1"], ["default_pool_size = 4"], ["default_pool_size = 4", "min_pool_size = 4"],
            ["default_pool_size = 4", "min_pool_size = 4", "server_round_robin = 1"],
        ])
    func transaction(_ settings: [String]) async throws {
        let url = try await TestDatabase.empty().ownerURL
        // Whether it also rejects `options` does not matter.
        for (mode, more) in [(PgBouncer.Mode.transaction, []), (.statement, ["ignore_startup_parameters = options"])] {
            let bouncer = try await PgBouncer(to: url, mode: mode, settings: settings + more)
            #expect(try await Pooling.detect(url: bouncer.url(url)) == .transaction)
            try await bouncer.stop()
        }
    }

    @Test("session pooling is detected, and without permission for `options` too")
    func session() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let bouncer = try await PgBouncer(to: url, mode: .session)
        #expect(try await Pooling.detect(url: bouncer.url(url)) == .session)
        let strict = try await PgBouncer(to: url, mode: .session, settings: [])
        #expect(try await Pooling.detect(url: strict.url(url)) == .sessionWithoutOptions)
        try await strict.stop()
        try await bouncer.stop()
    }

    @Test("behind session pooling, the settings of a pool apply to each connection, and statements and LISTEN work")
    func sessionWorks() async throws {
        let url = try await TestDatabase.empty().ownerURL
        // The session of a connection that ended goes to the next one.
        let settings = ["ignore_startup_parameters = options", "default_pool_size = 2"]
        let bouncer = try await PgBouncer(to: url, mode: .session, settings: settings)
        for (limit, words) in [(Duration.seconds(7), "7s"), (.seconds(9), "9s")] {
            let pool = try TestDatabase.pool(bouncer.url(url)) {
                ($0.maximumConnections, $0.lockTimeout, $0.settings) = (1, limit, [("enable_seqscan", "off")])
            }
            for _ in 1...3 {
                let (lock, scan) = try await pool.run(
                    "SELECT current_setting('lock_timeout') AS value", "SELECT current_setting('enable_seqscan') AS value")
                #expect(try lock[0].get("value") == words)
                #expect(try scan[0].get("value") == "off")
            }
            var events = pool.listen(["changed"]).makeAsyncIterator()
            #expect(try await events.next() == .connected)
            _ = try await pool.run("NOTIFY changed, 'now'")
            #expect(try await events.next() == .notification(channel: "changed", payload: "now"))
        }
        try await bouncer.stop()
    }

    @Test("several processes migrate behind session pooling")
    func migration() async throws {
        let url = try await TestDatabase.empty().ownerURL
        let bouncer = try await PgBouncer(to: url, mode: .session)
        let folder = try TemporaryFolder()
        try folder.write("0001_first.sql", "CREATE TABLE first (id int);")
        try folder.write("0002_index.sql", "-- espalier: no transaction\nCREATE INDEX CONCURRENTLY IF NOT EXISTS first_id ON first (id);\n")
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...3 { group.addTask { try await Migrator(folder: folder.path).migrate(url: bouncer.url(url)) } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == ["0001_first", "0002_index"])
        try await bouncer.stop()
    }
}
