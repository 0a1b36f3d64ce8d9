import ArgumentParser

/// `espalierctl applications registration show`: shows how an application registered itself.
struct ShowApplicationRegistration: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the initial access token and the software of an application that registered itself.",
        discussion: """
            EXAMPLES
              espalierctl applications registration show app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)
    static let view: View? = .applicationRegistration

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/applications/\(application.text)/registration")
    }
}
