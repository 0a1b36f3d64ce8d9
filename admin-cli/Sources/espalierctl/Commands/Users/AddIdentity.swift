import ArgumentParser

/// `espalierctl users identities add`: adds an Apple identity to a user.
struct AddIdentity: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds an Apple identity to a user, on your word.",
        discussion: """
            The person who signs in with this Apple Account then is this user. Check first that the person owns both. Espalier asks nobody.

            EXAMPLES
              espalierctl users identities add user_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --team A1B2C3D4E5 \\
                --subject 000123.0123456789abcdef0123456789abcdef.0789
            """)
    static let view: View? = .identity
    static let flags = ["team_id": "--team", "connection_id": "--connection"]

    @Argument(help: ArgumentHelp("The user's ID (the tokens' sub).", valueName: "id"))
    var user: Reference

    @Option(help: ArgumentHelp("Apple's sub of the person in the team.", valueName: "sub"))
    var subject: String

    @Option(help: ArgumentHelp("The Team ID of the Apple team. Pass this or --connection.", valueName: "id"))
    var team: String?

    @Option(help: ArgumentHelp("The ID of the tenant's connection to the Apple team. Pass this or --team.", valueName: "id"))
    var connection: Reference?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard (team == nil) != (connection == nil) else { throw ValidationError("Pass either --team or --connection.") }
    }

    func call(_ session: Session) throws -> Call {
        .post(
            "\(try session.path(tenant))/users/\(user.text)/identities",
            ["team_id": JSON(team), "connection_id": JSON(connection?.text), "subject": JSON(subject)])
    }
}
