import ArgumentParser

/// `espalierctl connections use-shared`: switches the tenant's logins to the platform's shared connection.
struct UseSharedConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "use-shared",
        abstract: "Switches the tenant's logins to the platform's shared connection.",
        discussion: """
            The tenant's own connection stays, and you can activate it again. A tenant with users must make the same choice as with \
            espalierctl connections activate.

            EXAMPLES
              espalierctl connections use-shared --tenant acme
              espalierctl connections use-shared --tenant acme --existing-users new-users
            """)
    static let view: View? = .tenant

    @OptionGroup var users: ExistingUsersOptions
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/shared-connection/activate", users.members)
    }

    func note(_ answer: JSON) -> String? {
        "The shared connection now serves the tenant's logins."
    }

    func advice(for failure: Failure) -> Failure { users.advice(for: failure) }
}
