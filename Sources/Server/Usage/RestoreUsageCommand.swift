import Access
import ArgumentParser
import Billing
import Ledger

struct RestoreUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restores an archived month to the ledger.",
        discussion: """
            The file must be unchanged: it must match the manifest next to it and the month's statements. Events of tenants that were \
            purged since then are not restored. Users can sign in at the same time. Connects as the owner of the schema, like \
            `espalier usage archive`.

            For example: espalier usage restore /var/lib/espalier/usage/usage_event_2025_01.csv.gz
            """)

    @Argument(help: ArgumentHelp("A file of `espalier usage archive`.", valueName: "file"))
    var file: String

    func run() async throws {
        try await orRefuse {
            let database = PlatformDatabase(try await ArchiveSettings(try await Settings.reader()).pool(), for: .command)
            let (month, events) = try await RestoreUsage(database: database).run(file)
            print(month, events, "restored", separator: "  ")
        }
    }
}
