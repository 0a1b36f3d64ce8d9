import ArgumentParser
import Foundation
import Ledger

struct ArchiveUsageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive",
        abstract: "Take old months out of the ledger, into files.",
        discussion: """
            Writes each month to usage_event_YYYY_MM.csv.gz, with a manifest beside it, reads it back, compares it with the month's \
            statements, and then removes the month from the database. Numbers, statements and answers stay. Only closed months go; \
            `espalier usage restore` brings one back. Prints a line for each month. People may sign in meanwhile.

            Connects as the owner of the schema, ESPALIER_MIGRATION_DATABASE_URL: the role that serves may take nothing out of the ledger. \
            No other setting is needed.

            For example: espalier usage archive --to /var/lib/espalier/usage --before 2025-01
            """)

    @Option(help: ArgumentHelp("The folder; that of ESPALIER_USAGE_ARCHIVE unless it is said.", valueName: "folder"))
    var to: String?

    @Option(help: ArgumentHelp("The first month that stays; what ESPALIER_USAGE_RETENTION leaves unless it is said.", valueName: "YYYY-MM"))
    var before: Month?

    @Flag(help: "Only say what would be done.")
    var dryRun = false

    func run() async throws {
        try await orRefuse {
            let (settings, now) = (try ArchiveSettings(try await Settings.reader()), Date())
            guard let folder = to ?? settings.folder
            else { throw Settings.Refusal(description: "Say where to with --to, or set ESPALIER_USAGE_ARCHIVE.") }
            guard let limit = before ?? settings.retention.map({ ArchiveUsage.limit(keeping: $0, at: now) })
            else {
                throw Settings.Refusal(description: "Say which months with --before, or set ESPALIER_USAGE_RETENTION: nothing was done.")
            }
            try await ArchiveUsage(to: folder, pool: try settings.pool()).run(before: limit, isDryRun: dryRun, at: now) { month, outcome in
                switch outcome {
                case .archived(let events): print(month, events, "archived", separator: "  ")
                case .due(let events): print(month, events, "would be archived", separator: "  ")
                case .gone: print(month, "was taken out by another process", separator: "  ")
                }
            }
        }
    }
}
