import ArgumentParser

/// `espalierctl applications registration end`: ends an application's own management of its registration.
struct EndApplicationRegistration: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Ends an application's own management of its registration, for example after a leak. The application stays.",
        discussion: """
            EXAMPLES
              espalierctl applications registration end app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
              espalierctl applications registration end app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/applications/\(application.text)/registration").ifUnchanged(nil, match.ifMatch)
            .destroying(
                "makes the registration access token of \(application.text) invalid", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Ended the registration of \(application.text). To delete the application: espalierctl applications delete \(application.text)"
            + tenant.repeated
    }
}
