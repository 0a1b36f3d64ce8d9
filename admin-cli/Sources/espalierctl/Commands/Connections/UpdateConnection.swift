import ArgumentParser

/// `espalierctl connections update`: changes the Services ID, bundle IDs or email sources of a connection.
struct UpdateConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes a connection's Services ID, bundle IDs or email sources.",
        discussion: """
            Properties without an option do not change. A list replaces the old list. An empty element ('') clears the list. For another \
            Team ID, create another connection.

            EXAMPLES
              espalierctl connections update --tenant acme \\
                --services-id com.example.acme.signin
              espalierctl connections update --tenant acme \\
                --email-source mail.example.com --email-source shop@example.com
            """)
    static let view: View? = .connection

    @OptionGroup var connection: ConnectionArgument

    @Option(help: ArgumentHelp("The Services ID, such as com.example.login.", valueName: "id"))
    var servicesID: String?

    @OptionGroup var properties: ConnectionProperties
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard servicesID != nil || properties.members.values.contains(where: { $0 != nil }) else {
            throw ValidationError("Pass at least one option to change.")
        }
    }

    func call(_ session: Session) async throws -> Call {
        var members = properties.members
        members["services_id"] = JSON(servicesID)
        let path = try await connection.path(session)
        return .patch(path, members).ifUnchanged(path, match.ifMatch)
    }
}
