import ArgumentParser

/// `espalierctl applications delete`: deletes an application.
struct DeleteApplication: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes an application, its secrets and its sessions.",
        discussion: """
            EXAMPLES
              espalierctl applications delete app_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl applications delete app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/applications/\(application.text)").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the application \(application.text), its secrets and its sessions", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(application.text)."
    }
}
