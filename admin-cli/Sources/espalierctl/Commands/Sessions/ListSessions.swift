import ArgumentParser

/// `espalierctl sessions list`: lists a tenant's sessions.
struct ListSessions: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's sessions, newest first.",
        discussion: """
            EXAMPLES
              espalierctl sessions list --tenant acme --status active
              espalierctl sessions list --tenant acme \\
                --user user_01jd8x3v6qf9wr2m5tzk7h4c0n
            """)
    static let view: View? = .session

    @Option(help: ArgumentHelp("Shows only sessions of this user.", valueName: "id"))
    var user: Reference?

    @Option(help: ArgumentHelp("Shows only sessions of this application.", valueName: "id"))
    var application: Reference?

    @Option(help: "Shows only sessions with this status.")
    var status: SessionStatus?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get(
            "\(try session.path(tenant))/sessions",
            ["user": user?.text, "application": application?.text, "status": status?.rawValue])
    }
}
