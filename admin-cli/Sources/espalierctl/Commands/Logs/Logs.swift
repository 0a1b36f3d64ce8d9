import ArgumentParser

/// `espalierctl logs`: shows logins as they happen.
struct Logs: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the logins of a tenant's users as they happen.",
        subcommands: [TailLogs.self])
}
