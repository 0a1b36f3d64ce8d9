import ArgumentParser
import Configuration
import Foundation
import Postgres
import Sealing

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Bring the database's schema to this version.",
        discussion: "Connects as the owner of the schema: ESPALIER_MIGRATION_DATABASE_URL. Safe to run from several places at once.")

    @OptionGroup var migrations: MigrationsFolder

    func run() async throws {
        try await orRefuse {
            let reader = try await Settings.reader().scoped(to: "espalier")
            let applied = try await migrations.migrator.migrate(url: try Settings.ownerURL(reader))
            print(applied.isEmpty ? "Nothing to do: the schema is current." : applied.map { "applied \($0)" }.joined(separator: "\n"))
        }
    }
}

struct GenerateMasterKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a new master key.",
        discussion: """
            For ESPALIER_MASTER_KEYS. The holder of a master key can open every sealed secret. Without it, nobody can. Keep a copy in a \
            safe place. docs/master-keys.md describes how to rotate it.
            """)

    func run() {
        print(MasterKey.generate().base64.reveal())
    }
}
