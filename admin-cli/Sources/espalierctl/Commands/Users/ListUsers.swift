import ArgumentParser

/// `espalierctl users list`: lists or searches a tenant's users.
struct ListUsers: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists or searches a tenant's users.",
        discussion: """
            EXAMPLES
              espalierctl users list --tenant acme
              espalierctl users list --tenant acme --search lovelace
              espalierctl users list --tenant acme --email ada@example.com --json \\
                | jq -r '.data[].id'
            """)
    static let view: View? = .user

    @Option(help: ArgumentHelp("Shows only users whose name or email address contains this text.", valueName: "text"))
    var search: String?

    @Option(help: ArgumentHelp("Shows only the user with exactly this email address.", valueName: "address"))
    var email: String?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/users", ["search": search, "email": email])
    }
}
