import ArgumentParser

/// `espalierctl applications secrets list`: lists an application's client secrets.
struct ListApplicationSecrets: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists an application's client secrets with their last four characters.",
        discussion: """
            EXAMPLES
              espalierctl applications secrets list app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)
    static let view: View? = .applicationSecret

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/applications/\(application.text)/secrets")
    }
}
