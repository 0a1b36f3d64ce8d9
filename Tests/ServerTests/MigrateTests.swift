import Foundation
import Postgres
import TestSupport
import Testing

/// `espalier migrate` as a process.
@Suite("Migrate")
struct MigrateTests {
    private func migrate(_ url: String?, folder: String? = nil) async throws -> Program.Exit {
        try await Program.run(
            ["migrate"] + (folder.map { ["--migrations", $0] } ?? []),
            environment: url.map { ["ESPALIER_MIGRATION_DATABASE_URL": $0] } ?? [:])
    }

    @Test("an empty database gets all migrations in their order; a second run changes nothing")
    func idempotent() async throws {
        let database = try await TestDatabase.empty()
        let files = try FileManager.default.contentsOfDirectory(atPath: TestDatabase.migrations).filter { $0.hasSuffix(".sql") }.sorted()
        let first = try await migrate(database.ownerURL)
        #expect(first.code == 0, "\(first.errors)")
        #expect(first.output == files.map { "applied \($0.dropLast(4))\n" }.joined())
        let second = try await migrate(database.ownerURL)
        #expect(second.code == 0)
        #expect(second.output == "The schema is current. Nothing changed.\n")
    }

    @Test("two concurrent runs apply each migration once")
    func racing() async throws {
        let database = try await TestDatabase.empty()
        async let one = migrate(database.ownerURL)
        async let other = migrate(database.ownerURL)
        let exits = try await [one, other]
        #expect(exits.map(\.code) == [0, 0], "\(exits.map(\.errors))")
        #expect(exits.filter { $0.output.hasPrefix("The schema is current") }.count == 1)
    }

    @Test("an edited migration is rejected, and nothing is applied")
    func edited() async throws {
        let database = try await TestDatabase.make()
        let folder = try TemporaryFolder()
        let files = try FileManager.default.contentsOfDirectory(atPath: TestDatabase.migrations).filter { $0.hasSuffix(".sql") }
        for file in files {
            var text = try String(contentsOf: URL(filePath: TestDatabase.migrations).appending(path: file), encoding: .utf8)
            if file.hasPrefix("0002") { text += "-- edited\n" }
            try folder.write(file, text)
        }
        try folder.write("\(String(format: "%04d", files.count + 1))_more.sql", "CREATE TABLE more (id int PRIMARY KEY);\n")
        let exit = try await migrate(database.ownerURL, folder: folder.path)
        #expect(exit.code == 1)
        #expect(exit.complaints.count == 1)
        #expect(exit.errors.contains("0002_login"), "\(exit.errors)")
        let found: Bool = try await TestDatabase.pool(database.ownerURL).run("SELECT to_regclass('more') IS NOT NULL AS found")[0].get(
            "found")
        #expect(!found)
    }

    @Test("a missing URL, database or folder is reported")
    func refusals() async throws {
        let database = try await TestDatabase.empty()
        for (exit, words) in [
            (try await migrate(nil), "ESPALIER_MIGRATION_DATABASE_URL is missing"),
            (try await migrate("postgresql://owner:swordfish@127.0.0.1:\(FreePorts.take())/none"), "espalier: "),
            (try await migrate(database.ownerURL, folder: "/nonexistent"), "/nonexistent"),
        ] {
            #expect(exit.code == 1)
            #expect(exit.complaints.count == 1, "\(exit.errors)")
            #expect(exit.errors.contains(words), "\(exit.errors)")
            #expect(!exit.errors.contains("swordfish"))
        }
    }
}
