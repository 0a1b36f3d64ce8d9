import ArgumentParser

/// `espalierctl usage`: what a tenant will be charged for.
struct Usage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Counts billable logins.",
        subcommands: [ShowUsage.self, ExportUsage.self, UsageSink.self])
}

extension View {
    static let usageDay = View(.init("Date", "date"), .init("Logins", "logins").number)
}
