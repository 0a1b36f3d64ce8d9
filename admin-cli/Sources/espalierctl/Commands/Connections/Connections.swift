import ArgumentParser

/// `espalierctl connections`: manages connections to Apple, a tenant's own or the platform's shared one.
struct Connections: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages and checks a tenant's own connections to Apple.",
        discussion: """
            With --platform, the commands use the shared connection. It serves every tenant without its own connection.
            """,
        subcommands: [
            CreateConnection.self, ListConnections.self, ShowConnection.self, UpdateConnection.self, CheckConnection.self,
            ActivateConnection.self, UseSharedConnection.self, Transfers.self, DeleteConnection.self,
        ])
}

extension View {
    static let connection = View(
        .init("ID", "id"),
        .init("Ownership", "ownership").detail,
        .init("Team ID", "team_id"),
        .init("Services ID", "services_id"),
        .init("Bundle IDs", "bundle_ids").detail,
        .init("Email sources", "email_sources").detail,
        .init("Serving", "serving"),
        .init("Relinks until", "relink_until").detail.optional,
        .init("Check", "check.outcome").optional,
        .init("Checked", "check.checked_at").optional,
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail,
        sections: [
            .init(title: "Apple keys", path: "apple_keys", view: .appleKey),
            .init(title: "Last check", path: "check.steps", view: .checkStep),
            .init(title: "Values for Apple's portal", path: "apple_portal", view: .applePortal),
        ])

    static let checkStep = View(.init("Step", "step"), .init("Outcome", "outcome"), .init("Detail", "detail").optional)

    static let applePortal = View(
        .init("Return URL", "return_url"),
        .init("Domain", "domain"),
        .init("Notification URL", "notification_url"),
        .init("Email sources", "email_sources").optional)
}
