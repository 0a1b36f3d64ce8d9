import ArgumentParser

/// `espalierctl roles list`: lists the roles that a tenant defined.
struct ListRoles: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the roles that a tenant defined, newest first.",
        discussion: """
            EXAMPLES
              espalierctl roles list --tenant acme
            """)
    static let view: View? = .role

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/roles")
    }
}
