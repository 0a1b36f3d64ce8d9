import ArgumentParser
import Ledger

struct RestoreUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring an archived month back into the ledger.",
        discussion: """
            The file must be as it was written: its manifest stands beside it, and the month's statements must agree. Events of tenants \
            that were purged since stay away. People may sign in meanwhile. Connects as the owner of the schema, as `espalier usage \
            archive` does.

            For example: espalier usage restore /var/lib/espalier/usage/usage_event_2025_01.csv.gz
            """)

    @Argument(help: ArgumentHelp("The file that `espalier usage archive` has written.", valueName: "file"))
    var file: String

    func run() async throws {
        try await orRefuse {
            let pool = try ArchiveSettings(try await Settings.reader()).pool()
            let (month, events) = try await RestoreUsage(pool: pool).run(file)
            print(month, events, "restored", separator: "  ")
        }
    }
}
