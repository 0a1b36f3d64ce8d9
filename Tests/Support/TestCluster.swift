package import EmbeddedPostgres
import Foundation
import Postgres

/// The PostgreSQL cluster of a test run. The first test that needs it starts it, and it is removed when the process
/// ends.
package actor TestCluster {
    package static let shared = TestCluster()

    enum Template: String {
        case empty = "template0"
        case migrated = "template_migrated"
    }

    private struct Running: Sendable {
        var cluster: EmbeddedPostgres

        /// Returns a new pool to create databases with. A session prepares every statement, and each of these differs. After
        /// hundreds of them, it must first deallocate an old one, but no statement may come before CREATE DATABASE.
        var administration: DatabasePool {
            get async throws {
                try TestDatabase.pool(await cluster.url(user: "postgres", database: "postgres")) { $0.statementTimeout = .seconds(60) }
            }
        }
    }

    private var running: Task<Running, any Error>?
    private var migration: Task<Void, any Error>?
    /// Nil before the template exists.
    private var used: UsedDatabases?
    /// The clone that was started last. They run one after the other, because PostgreSQL rejects a template in use.
    private var last: Task<Void, any Error>?
    private var databases = 0

    private static let owner = "espalier"
    private static let server = "espalier_server"

    /// For data that nothing depends on. Autovacuum would read hundreds of databases again and again, and take a fifth of the processor
    /// time.
    package static let careless = ["fsync": "off", "synchronous_commit": "off", "full_page_writes": "off", "autovacuum": "off"]

    /// A test's own cluster, which the test may kill, in a temporary folder, so that two runs can exist side by side.
    package static func own(settings: [String: String] = careless) async throws -> EmbeddedPostgres {
        let folder = FileManager.default.temporaryDirectory.appending(path: "cluster-\(UUID())")
        let cluster = EmbeddedPostgres(
            folder: folder.path(percentEncoded: false), settings: settings.merging(["max_connections": "500"]) { $1 }, isThrowAway: true)
        try await cluster.start()
        return cluster
    }

    /// A new database.
    func database(template: Template) async throws -> TestDatabase {
        let running = try await start()
        if template == .migrated { try await migrate(running) }
        let name = newName()
        let clone = Task { [last] in
            // The previous clone's caller handles its error.
            _ = await last?.result
            _ = try await running.administration.run(
                SQL(unsafe: "CREATE DATABASE \(name) OWNER \(Self.owner) TEMPLATE \(template.rawValue)"))
        }
        last = clone
        try await clone.value
        return await named(name, running)
    }

    /// A migrated database for a test that gives it back: one that an earlier test has used, or a new one.
    func lend() async throws -> TestDatabase {
        if let database = try await reuse(start()) { return database }
        return try await database(template: .migrated)
    }

    /// Takes a database back from a test that has ended.
    func giveBack(_ database: TestDatabase) {
        used?.add(database.name)
    }

    /// Returns a used database that is like new, or nil if there is none.
    private func reuse(_ running: Running) async throws -> TestDatabase? {
        guard let old = used?.next(), let used else { return nil }
        let sessions = try await running.administration.run("SELECT 1 FROM pg_stat_activity WHERE datname = \(old)")
        guard sessions.isEmpty else {
            self.used?.add(old)
            return nil
        }
        let name = newName()
        do {
            _ = try await running.administration.run(SQL(unsafe: "ALTER DATABASE \(old) RENAME TO \(name)"))
        } catch let error as DatabaseError where error.isObjectInUse {
            return nil
        }
        let database = try TestDatabase.pool(await running.cluster.url(user: "postgres", database: name)) { $0.maximumConnections = 1 }
        return try await used.clean(database) ? await named(name, running) : nil
    }

    private func newName() -> String {
        databases += 1
        return "test_\(databases)"
    }

    private func named(_ name: String, _ running: Running) async -> TestDatabase {
        TestDatabase(
            name: name, ownerURL: await running.cluster.url(user: Self.owner, database: name),
            serverURL: await running.cluster.url(user: Self.server, database: name))
    }

    private func start() async throws -> Running {
        let task =
            running
            ?? Task {
                let cluster = try await Self.own()
                let running = Running(cluster: cluster)
                _ = try await running.administration.run([
                    SQL(unsafe: "CREATE ROLE \(Self.owner) LOGIN CREATEROLE"), SQL(unsafe: "CREATE ROLE \(Self.server) LOGIN"),
                ])
                return running
            }
        running = task
        return try await task.value
    }

    private func migrate(_ running: Running) async throws {
        let task =
            migration
            ?? Task {
                let name = Template.migrated.rawValue
                _ = try await running.administration.run(SQL(unsafe: "CREATE DATABASE \(name) OWNER \(Self.owner)"))
                let url = await running.cluster.url(user: Self.owner, database: name)
                try await Migrator(folder: Self.migrations).migrate(url: url)
                used = try await UsedDatabases(
                    template: TestDatabase.pool(await running.cluster.url(user: "postgres", database: name)) { $0.maximumConnections = 1 })
                // Most tests choose their own time. A test of the database's clock deletes this row.
                _ = try await TestDatabase.pool(url).run("INSERT INTO simulated_clock DEFAULT VALUES")
            }
        migration = task
        try await task.value
    }

    /// The repository's `migrations/`.
    static let migrations = URL(filePath: #filePath).appending(path: "../../../migrations").standardizedFileURL
        .path(percentEncoded: false)
}

extension DatabaseError {
    /// A session has started since the last look.
    fileprivate var isObjectInUse: Bool { sqlState == "55006" }
}
