import ArgumentParser

/// `espalierctl connections activate`: switches the tenant's logins to a connection.
struct ActivateConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "activate",
        abstract: "Switches the tenant's logins to a connection.",
        discussion: """
            Apple's identifier of a person differs in every team. A tenant with users must therefore choose. With new-users, people become \
            new users at their next login. With relink, for a number of days, a login with a signed, verified email address that is not a \
            relay address continues as the existing user.

            EXAMPLES
              espalierctl connections activate --tenant acme
              espalierctl connections activate --tenant acme --existing-users relink \\
                --relink-days 60
            """)
    static let view: View? = .connection

    @Argument(help: ArgumentHelp("The connection's ID. Required only if the tenant has several connections.", valueName: "id"))
    var connection: Reference?

    @OptionGroup var users: ExistingUsersOptions
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) async throws -> Call {
        .post("\(try await session.path(connection: connection, of: session.path(tenant)))/activate", users.members)
    }

    func advice(for failure: Failure) -> Failure { users.advice(for: failure) }
}
