import Access
import ArgumentParser
import Billing
import Foundation
import Ledger

struct ArchiveUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Moves old months from the ledger into files.",
        discussion: """
            Writes each month to usage_event_YYYY_MM.csv.gz with a manifest next to it, reads it back, compares it with the month's \
            statements, and then removes the month from the database. Totals, statements and responses stay. Archives only closed months. \
            `espalier usage restore` restores a month. Prints a line for each month. Users can sign in at the same time.

            Connects as the owner of the schema, ESPALIER_MIGRATION_DATABASE_URL, because the server's role cannot remove events from the \
            ledger. Needs no other setting.

            For example: espalier usage archive --to /var/lib/espalier/usage --before 2025-01
            """)

    @Option(help: ArgumentHelp("The folder. Default: ESPALIER_USAGE_ARCHIVE.", valueName: "folder"))
    var to: String?

    @Option(help: ArgumentHelp("The first month that stays. Default: according to ESPALIER_USAGE_RETENTION.", valueName: "YYYY-MM"))
    var before: Month?

    @Flag(help: "Prints the months without archiving them.")
    var dryRun = false

    func run() async throws {
        try await orRefuse {
            let (settings, now) = (try ArchiveSettings(try await Settings.reader()), Date())
            guard let folder = to ?? settings.folder
            else { throw Settings.Refusal(description: "The folder is missing. Pass --to or set ESPALIER_USAGE_ARCHIVE.") }
            guard let limit = before ?? settings.retention.map({ ArchiveUsage.limit(retaining: $0, at: now) })
            else {
                throw Settings.Refusal(description: "The months are missing. Pass --before or set ESPALIER_USAGE_RETENTION.")
            }
            try await ArchiveUsage(to: folder, database: PlatformDatabase(try await settings.pool(), for: .command)).run(
                before: limit, isDryRun: dryRun, at: now
            ) { month, outcome in
                switch outcome {
                case .archived(let events): print(month, events, "archived", separator: "  ")
                case .due(let events): print(month, events, "would be archived", separator: "  ")
                case .alreadyArchived: print(month, "was archived by another process", separator: "  ")
                }
            }
        }
    }
}
