import ArgumentParser
import Ledger

struct UsageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage", abstract: "Verifies, closes, archives and restores the ledger of logins.",
        subcommands: [VerifyUsageCommand.self, CloseUsageCommand.self, ArchiveUsageCommand.self, RestoreUsageCommand.self])
}

extension Month: ExpressibleByArgument {}
