import ArgumentParser

/// `espalierctl applications update`: other properties of an application.
struct UpdateApplication: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes an application.",
        discussion: """
            What isn't given stays as it is; a list that is given replaces the old one, and an empty element ('') empties it.

            EXAMPLES
              espalierctl applications update app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --name "The shop"
              espalierctl applications update app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --access-token-lifetime 15m
              espalierctl applications update app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --logout-uri ''
              espalierctl applications update app_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --backchannel-logout-uri https://shop.example.com/logout
            """)
    static let view: View? = .application
    static let flags = ApplicationProperties.flags

    @Argument(help: ArgumentHelp("The application's id.", valueName: "id"))
    var application: Reference

    @Option(help: "What people call it.")
    var name: String?

    @OptionGroup var properties: ApplicationProperties
    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard name != nil || properties.members.values.contains(where: { $0 != nil }) else { throw ValidationError("Say what to change.") }
    }

    func call(_ session: Session) throws -> Call {
        var members = properties.members
        members["name"] = JSON(name)
        let path = "\(try session.path(tenant))/applications/\(application.text)"
        return .patch(path, members).ifUnchanged(path, match.ifMatch)
    }
}
