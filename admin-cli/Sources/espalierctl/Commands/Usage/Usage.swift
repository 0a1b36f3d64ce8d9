import ArgumentParser

/// `espalierctl usage`: counts, exports and pushes billable logins.
struct Usage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Counts and exports billable logins.",
        subcommands: [ShowUsage.self, ListUsage.self, ExportUsage.self, UsageSink.self])
}

extension View {
    static let usageDay = View(.init("Date", "date"), .init("Logins", "logins").number)

    static let usageOfTenant = View(
        .init("Tenant", "slug"),
        .init("ID", "tenant_id"),
        .init("Logins", "logins").number,
        .init("Users", "users").optional.number,
        .init("Complete up to", "complete_until").exact)

    static func usageWindow(by groups: [UsageGroup]) -> View {
        var view = View(.init("From", "from").exact)
        // The total line has no groups. It also has no number of users, because a user in two windows counts as one.
        if groups.contains(.application) { view.fields.append(.init("Application", "application_id").optional) }
        if groups.contains(.connection) { view.fields.append(.init("Connection", "connection").optional) }
        if groups.contains(.kind) { view.fields.append(.init("Kind", "kind").optional) }
        view.fields += [.init("Logins", "logins").number, .init("Users", "users").optional.number]
        return view
    }
}
