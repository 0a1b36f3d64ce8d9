import Foundation
import Postgres
import TestSupport
import Testing

/// `espalier usage archive` and `restore` as processes.
@Suite("Archive usage, as a command")
struct ArchiveUsageCommandTests {
    private let owner: DatabasePool
    /// The only setting.
    private let environment: [String: String]
    private let serverURL: String
    private let folder: TemporaryFolder

    init() async throws {
        let database = try await TestDatabase.make()
        owner = try TestDatabase.pool(database.ownerURL)
        environment = ["ESPALIER_MIGRATION_DATABASE_URL": database.ownerURL]
        serverURL = database.serverURL
        folder = try TemporaryFolder()
    }

    private func usage(_ arguments: String..., settings: [String: String] = [:]) async throws -> Program.Exit {
        try await Program.run(["usage"] + arguments, environment: environment.merging(settings) { $1 })
    }

    @Test("without a month or without a folder nothing is done, and the error has the next step")
    func unsaid() async throws {
        let month = try await usage("archive", "--to", folder.path)
        #expect(month.code == 1)
        #expect(month.errors == "espalier: The months are missing. Pass --before or set ESPALIER_USAGE_RETENTION.\n")
        let place = try await usage("archive", "--before", "2025-01")
        #expect(place.code == 1)
        #expect(place.errors.contains("ESPALIER_USAGE_ARCHIVE"))
        #expect(try await usage("archive", "--to", folder.path, "--before", "2025-13").code == 2)
        for months in ["0", "1201"] {
            #expect(try await usage("archive", settings: ["ESPALIER_USAGE_RETENTION": months]).errors.contains("between 1 and 1200"))
        }
        #expect(try await usage("archive", settings: ["ESPALIER_USAGE_RETENTION": "x"]).errors.contains("a whole number"))
        let nobody = ["ESPALIER_MIGRATION_DATABASE_URL": ""]
        #expect(try await usage("archive", settings: nobody).errors.contains("ESPALIER_MIGRATION_DATABASE_URL is missing"))
        #expect(try await usage("restore", "x.csv.gz", settings: nobody).errors.contains("ESPALIER_MIGRATION_DATABASE_URL is missing"))
    }

    @Test("the server's role is rejected, and the month stays")
    func role() async throws {
        _ = try await owner.run("SELECT create_usage_partition('2025-01-01')")
        let refused = try await usage(
            "archive", "--to", folder.path, "--before", "2025-02", settings: ["ESPALIER_MIGRATION_DATABASE_URL": serverURL])
        #expect(refused.code == 1)
        #expect(refused.output == "")
        #expect(try await owner.run("SELECT FROM usage_partitions() AS month WHERE month = '2025-01-01'").count == 1)
    }

    @Test("a month is archived and restored; a dry run only prints it")
    func thereAndBack() async throws {
        _ = try await owner.run("SELECT create_usage_partition('2025-01-01')")
        let settings = ["ESPALIER_USAGE_ARCHIVE": folder.path, "ESPALIER_USAGE_RETENTION": "12"]
        let dry = try await usage("archive", "--dry-run", settings: settings)
        #expect(dry.output == "2025-01  0  would be archived\n", "\(dry.errors)")
        let archived = try await usage("archive", settings: settings)
        #expect(archived.output == "2025-01  0  archived\n", "\(archived.errors)")
        #expect(try await usage("archive", settings: settings).output == "")
        let restored = try await usage("restore", folder.path + "/usage_event_2025_01.csv.gz")
        #expect(restored.output == "2025-01  0  restored\n", "\(restored.errors)")
        let missing = try await usage("archive", "--to", folder.path + "/nowhere", "--before", "2025-02")
        #expect(missing.code == 1)
        #expect(missing.errors.hasSuffix("Cannot write to \(folder.path)/nowhere.\n"))
    }
}
