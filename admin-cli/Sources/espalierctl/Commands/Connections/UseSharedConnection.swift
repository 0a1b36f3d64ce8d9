import ArgumentParser

/// `espalierctl connections use-shared`: back to the platform's connection.
struct UseSharedConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "use-shared",
        abstract: "Lets the platform's shared connection serve the tenant's logins again.",
        discussion: """
            The tenant's own connection stays and can be activated again. For its users the same choice is to be made as in \
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
        "The shared connection serves now."
    }

    func advice(for failure: Failure) -> Failure { users.advice(for: failure) }
}
