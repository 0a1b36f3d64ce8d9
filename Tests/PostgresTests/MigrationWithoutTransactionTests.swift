import Postgres
import TestSupport
import Testing

/// Migrations with the first line `-- espalier: no transaction`.
@Suite("Migrations without a transaction")
struct MigrationWithoutTransactionTests {
    private let folder: TemporaryFolder
    private let url: String
    private let pool: DatabasePool

    private static let mark = "-- espalier: no transaction\n"
    private static let index = "\(mark)-- Finds an item.\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS item_id ON item (id);\n"

    init() async throws {
        folder = try TemporaryFolder()
        url = try await TestDatabase.empty().ownerURL
        pool = try TestDatabase.pool(url)
        try folder.write("0001_item.sql", "CREATE TABLE item (id int); INSERT INTO item VALUES (1);")
    }

    @discardableResult
    private func migrate() async throws -> [String] {
        try await Migrator(folder: folder.path).migrate(url: url)
    }

    private func isValid() async throws -> Bool? {
        try await pool.run("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('item_id')").first { try $0.get("indisvalid") }
    }

    @Test("several processes at once build an index concurrently, once")
    func concurrently() async throws {
        try folder.write("0002_index.sql", Self.index)
        let applied = try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 1...4 { group.addTask { try await migrate() } }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(applied.sorted() == ["0001_item", "0002_index"])
        #expect(try await isValid() == true)
        #expect(try await Migrator(folder: folder.path).status(of: pool) == .current)
    }

    @Test("a process that ended before it recorded the migration repeats it")
    func repeated() async throws {
        try folder.write("0002_index.sql", Self.index)
        try await migrate()
        _ = try await pool.run("DELETE FROM schema_migration WHERE version = 2")
        #expect(try await migrate() == ["0002_index"])
    }

    @Test("a failure in the middle leaves the migration pending, and the error has the command that removes the remains")
    func failure() async throws {
        try await migrate()
        _ = try await pool.run("INSERT INTO item VALUES (1)")
        try folder.write("0002_index.sql", Self.index)
        let error = await #expect(throws: MigrationError.self) { try await migrate() }
        #expect(error?.description.contains("DROP INDEX CONCURRENTLY item_id;") == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("23505") == true)
        #expect(try await isValid() == false)
        // With IF NOT EXISTS, the statement would do nothing and look like a success.
        await #expect(throws: MigrationError.invalidIndexes(["item_id"], file: "0002_index.sql")) { try await migrate() }
        #expect(try await Migrator(folder: folder.path).status(of: pool) == .behind(["0002_index"]))
        _ = try await pool.run("DELETE FROM item")
        _ = try await pool.run("DROP INDEX CONCURRENTLY item_id")
        #expect(try await migrate() == ["0002_index"])
        #expect(try await isValid() == true)
    }

    @Test("an error in the statement has its line")
    func position() async throws {
        try folder.write("0002_index.sql", "\(Self.mark)\nCREATE INDEX CONCURRENTLY ON nowhere (id);\n")
        let error = await #expect(throws: MigrationError.self) { try await migrate() }
        #expect(error?.description.hasPrefix("0002_index.sql") == true)
        try folder.write("0002_index.sql", "\(Self.mark)\nCREATE INDEX CONCURRENTLY ON item nonsense;\n")
        let second = await #expect(throws: MigrationError.self) { try await migrate() }
        #expect(second?.description.hasPrefix("0002_index.sql, line 3") == true, "\(second?.description ?? "")")
    }

    @Test("several statements, another statement and another first line are rejected, and nothing is applied")
    func rejected() async throws {
        try folder.write("0002_index.sql", Self.index + "CREATE INDEX CONCURRENTLY other ON item (id);\n")
        await #expect(throws: MigrationError.severalStatements(file: "0002_index.sql")) { try await migrate() }
        #expect(try await isValid() == nil)
        try folder.write("0002_index.sql", "\(Self.mark)-- Not CONCURRENTLY.\nALTER TABLE item ADD name text;\n")
        #expect(throws: MigrationError.notConcurrent(file: "0002_index.sql")) { try Migrator(folder: folder.path) }
        for line in ["-- espalier: no transactions", "-- espalier:no transaction", "-- espalier: no transaction "] {
            try folder.write("0002_index.sql", "\(line)\nCREATE INDEX CONCURRENTLY item_id ON item (id);\n")
            #expect(throws: MigrationError.unknownMark(file: "0002_index.sql")) { try Migrator(folder: folder.path) }
        }
    }
}
