import ArgumentParser

/// `espalierctl connections activate`: from now on this connection serves the tenant's logins.
struct ActivateConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "activate",
        abstract: "Lets a connection serve the tenant's logins.",
        discussion: """
            Apple calls the same person by another name in every team. A tenant that has users must therefore choose: at their next login \
            they become new users, or, for some days, a signed, verified e-mail that isn't a relay address takes the old user over.

            EXAMPLES
              espalierctl connections activate --tenant acme
              espalierctl connections activate --tenant acme --existing-users relink \\
                --relink-days 60
            """)
    static let view: View? = .connection

    @Argument(help: ArgumentHelp("The connection's id; needed only when the tenant has several.", valueName: "id"))
    var connection: Reference?

    @OptionGroup var users: ExistingUsersOptions
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) async throws -> Call {
        .post("\(try await session.path(connection: connection, of: session.path(tenant)))/activate", users.members)
    }

    func advice(for failure: Failure) -> Failure { users.advice(for: failure) }
}
