import ArgumentParser

/// `espalierctl users list`: a tenant's users, searched by name or e-mail.
struct ListUsers: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's users, or searches them.",
        discussion: """
            EXAMPLES
              espalierctl users list --tenant acme
              espalierctl users list --tenant acme --search lovelace
              espalierctl users list --tenant acme --email ada@example.com --json \\
                | jq -r '.data[].id'
            """)
    static let view: View? = .user

    @Option(help: ArgumentHelp("Only those whose name or e-mail has this in it.", valueName: "text"))
    var search: String?

    @Option(help: ArgumentHelp("Only the one with exactly this e-mail.", valueName: "address"))
    var email: String?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/users", ["search": search, "email": email])
    }
}
