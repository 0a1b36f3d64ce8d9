import ArgumentParser
import Configuration
import Foundation
import Postgres
import Sealing

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Updates the database schema to this version.",
        discussion: """
            Connects as the owner of the schema: ESPALIER_MIGRATION_DATABASE_URL. You may run it in several places at once. While a \
            migration waits for a lock, a line on standard error names the process that holds it.

            With ESPALIER_SIMULATED_CLOCK=true, the database trusts the times that servers send. Use it only for development. Without it, \
            the database's clock decides when a month has ended and when an audit event occurred.
            """)

    @OptionGroup var migrations: MigrationsFolder

    func run() async throws {
        try await orRefuse {
            let reader = try await Settings.reader().scoped(to: "espalier")
            let (url, isSimulated) = (try Settings.ownerURL(reader), try Settings.flag(reader, "simulated.clock"))
            let migrator = try migrations.migrator
            try await Pooling.check(url)
            let applied = try await migrator.migrate(url: url) { FileHandle.standardError.write(Data("\($0)\n".utf8)) }
            try await SimulatedClock.set(isSimulated, url: url)
            print(applied.isEmpty ? "The schema is current. Nothing changed." : applied.map { "applied \($0)" }.joined(separator: "\n"))
        }
    }
}

struct GenerateMasterKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints a new master key.",
        discussion: """
            Put the key into ESPALIER_MASTER_KEYS. The holder of a master key can open every sealed secret. Without it, nobody can. Store \
            a copy in a safe place. docs/master-keys.md describes how to rotate it.
            """)

    func run() {
        print(MasterKey.generate().base64.reveal())
    }
}
