import ArgumentParser

/// `espalierctl usage`: counts, exports and pushes logins and silent sign-ins.
struct Usage: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Counts and exports logins and silent sign-ins.",
        subcommands: [ShowUsage.self, ListUsage.self, ExportUsage.self, UsageSink.self])
}

extension View {
    static func usageDay(withSilent: Bool) -> View {
        var view = View(.init("Date", "date"), .init("Logins", "logins").number)
        if withSilent { view.fields.append(.silent) }
        return view
    }

    static let usageOfTenant = View(
        .init("Tenant", "slug"),
        .init("ID", "tenant_id"),
        .init("Logins", "logins").number,
        .init("Users", "users").optional.number,
        .silent,
        .init("Complete up to", "complete_until").exact)

    static func usageWindow(by groups: [UsageGroup], withSilent: Bool) -> View {
        var view = View(.init("From", "from").exact)
        // The total line has no groups. It also has no number of users, because a user in two windows counts as one.
        if groups.contains(.application) { view.fields.append(.init("Application", "application_id").optional) }
        if groups.contains(.connection) { view.fields.append(.init("Connection", "connection").optional) }
        if groups.contains(.kind) { view.fields.append(.init("Kind", "kind").optional) }
        view.fields += [.init("Logins", "logins").number, .init("Users", "users").optional.number]
        if withSilent { view.fields.append(.silent) }
        return view
    }
}

extension View.Field {
    fileprivate static var silent: Self { .init("Silent sign-ins", "silent_logins").optional.number }
}
