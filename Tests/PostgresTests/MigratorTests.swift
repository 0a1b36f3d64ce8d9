import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Migrator")
struct MigratorTests {
    private let folder: TemporaryFolder
    private let url: String
    private let pool: DatabasePool

    init() async throws {
        folder = try TemporaryFolder()
        url = try await TestDatabase.empty().ownerURL
        pool = try TestDatabase.pool(url)
        try folder.write("0001_first.sql", "CREATE TABLE first (id int); INSERT INTO first VALUES (1);")
        try folder.write("0002_second.sql", "ALTER TABLE first ADD name text DEFAULT 'it''s; fine';\n-- the end\n")
    }

    private func migrate() async throws -> [String] {
        try await Migrator(folder: folder.path).migrate(url: url)
    }

    private func status() async throws -> Migrator.Status {
        try await Migrator(folder: folder.path).status(of: pool)
    }

    @Test("files are applied in order, once, and recorded; the status follows")
    func order() async throws {
        #expect(try await status() == .behind(["0001_first", "0002_second"]))
        #expect(try await migrate() == ["0001_first", "0002_second"])
        #expect(try await status() == .current)
        #expect(try await migrate() == [])
        try folder.write("0003_third.sql", "CREATE TABLE third (id int)")
        try folder.write("README.md", "not a migration")
        #expect(try await status() == .behind(["0003_third"]))
        #expect(try await migrate() == ["0003_third"])
        #expect(try await pool.run("SELECT name FROM first")[0].get("name") == "it's; fine")
        let rows = try await pool.run("SELECT name, applied_at <= now() AS past FROM schema_migration ORDER BY version")
        #expect(try rows.map { try $0.get("name", as: String.self) } == ["0001_first", "0002_second", "0003_third"])
        #expect(try rows.allSatisfy { try $0.get("past") })
    }

    @Test("several at once apply everything once")
    func concurrency() async throws {
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...4 { group.addTask { try await migrate() } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == ["0001_first", "0002_second"])
        #expect(try await pool.run("SELECT count(*) AS n FROM first")[0].get("n") == 1)
    }

    @Test("a file edited after it was applied is rejected by migrate and status")
    func edited() async throws {
        _ = try await migrate()
        try folder.write("0001_first.sql", "CREATE TABLE first (id bigint)")
        await #expect(throws: MigrationError.edited(file: "0001_first.sql")) { try await migrate() }
        await #expect(throws: MigrationError.edited(file: "0001_first.sql")) { try await status() }
    }

    @Test("a missing applied file is rejected; an older version reports that the database is ahead")
    func missing() async throws {
        _ = try await migrate()
        try folder.remove("0002_second.sql")
        await #expect(throws: MigrationError.missing(name: "0002_second")) { try await migrate() }
        #expect(try await status() == .ahead(["0002_second"]))
        try folder.write("0002_other.sql", "SELECT 1")
        await #expect(throws: MigrationError.missing(name: "0002_second")) { try await migrate() }
        await #expect(throws: MigrationError.missing(name: "0002_second")) { try await status() }
    }

    @Test("a gap, a duplicate number and an invalid name are rejected by name")
    func numbering() throws {
        try folder.write("0004_fourth.sql", "SELECT 1")
        #expect(throws: MigrationError.gap(expected: 3, file: "0004_fourth.sql")) { try Migrator(folder: folder.path) }
        try folder.remove("0004_fourth.sql")
        try folder.write("0002_twin.sql", "SELECT 1")
        #expect(throws: MigrationError.duplicate("0002_second.sql", "0002_twin.sql")) { try Migrator(folder: folder.path) }
        try folder.remove("0002_twin.sql")
        try folder.write("third.sql", "SELECT 1")
        #expect(throws: MigrationError.badName(file: "third.sql")) { try Migrator(folder: folder.path) }
        #expect(throws: MigrationError.unreadableFolder(folder.path + "/nowhere")) { try Migrator(folder: folder.path + "/nowhere") }
    }

    @Test("a failing file is rolled back, earlier files stay applied, and the error has the position")
    func failure() async throws {
        try folder.write("0003_third.sql", "CREATE TABLE third (id int);\n\nALTER TABLE nowhere ADD x int;\n")
        try folder.write("0004_fourth.sql", "CREATE TABLE third (\n  id int,\n  other nonsense\n);\n")
        let error = await #expect(throws: MigrationError.self) { try await migrate() }
        #expect(error?.description.hasPrefix("0003_third.sql") == true)
        #expect(try await pool.run("SELECT to_regclass('third') IS NULL AS gone")[0].get("gone"))
        #expect(try await status() == .behind(["0003_third", "0004_fourth"]))
        try folder.write("0003_third.sql", "SELECT 1")
        let second = await #expect(throws: MigrationError.self) { try await migrate() }
        #expect(second?.description.hasPrefix("0004_fourth.sql, line 3") == true)
        #expect(second?.description.contains("nonsense") == true)
    }

    @Test("a file that ends its transaction is rejected")
    func ownTransaction() async throws {
        try folder.write("0003_third.sql", "CREATE TABLE third (id int); COMMIT; SELECT 1;")
        await #expect(throws: MigrationError.endsTransaction(file: "0003_third.sql")) { try await migrate() }
    }
}
