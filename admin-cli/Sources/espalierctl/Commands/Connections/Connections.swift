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
            .init(title: "The same at the tenant's domains", path: "apple_portal.own_hosts", view: .ownHostAtApple),
        ])

    static let checkStep = View(.init("Step", "step"), .init("Outcome", "outcome"), .init("Detail", "detail").optional)

    static let ownHostAtApple = View(
        .init("Domain", "domain"), .init("State", "state"), .init("Return URL", "return_url"),
        .init("Notification URL", "notification_url"))

    /// The values at the tenant's domains, if it has one.
    static func ownHostsAtApple(_ portal: JSON) throws(Failure) -> String {
        guard let hosts = portal["own_hosts"]?.elements, !hosts.isEmpty else { return "" }
        let failing = hosts.filter { $0["state"]?.string == "failing" }.compactMap { $0["domain"]?.string }
        let warnings = failing.map {
            """
            \($0) is failing: the last look did not find its proof, or no look got an answer for 2 days. Compare its DNS record: \
            espalierctl domains show ID. Then look again: espalierctl domains verify ID

            """
        }
        return "\nThe same at the tenant's domains\n\(try ownHostAtApple.table(of: hosts))\(warnings.joined())"
    }

    static let applePortal = View(
        .init("Return URL", "return_url"),
        .init("Domain", "domain"),
        .init("Notification URL", "notification_url"),
        .init("Email sources", "email_sources").optional)
}
