import ArgumentParser

/// `espalierctl applications update`: changes an application.
struct UpdateApplication: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes an application.",
        discussion: """
            Properties without an option do not change. A list replaces the old list. An empty element ('') clears the list.

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

    @Argument(help: ArgumentHelp("The application's ID.", valueName: "id"))
    var application: Reference

    @Option(help: "The display name.")
    var name: String?

    @OptionGroup var properties: ApplicationProperties
    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard name != nil || properties.keysFile != nil || properties.members.values.contains(where: { $0 != nil }) else {
            throw ValidationError("Pass at least one option to change.")
        }
    }

    func call(_ session: Session) throws -> Call {
        var members = try properties.members(replacesKeys: true)
        members["name"] = JSON(name)
        let path = "\(try session.path(tenant))/applications/\(application.text)"
        return .patch(path, members).ifUnchanged(path, match.ifMatch)
    }

    func note(_ answer: JSON) -> String? { properties.warning }
}
