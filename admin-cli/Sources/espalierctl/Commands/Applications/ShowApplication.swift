import ArgumentParser

/// `espalierctl applications show`: shows an application.
struct ShowApplication: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an application.",
        discussion: """
            EXAMPLES
              espalierctl applications show app_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .application

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/applications/\(application.text)")
    }
}
