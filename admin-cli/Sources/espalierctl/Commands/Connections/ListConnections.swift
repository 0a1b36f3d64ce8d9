import ArgumentParser

/// `espalierctl connections list`: lists a tenant's own connections.
struct ListConnections: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's own connections.",
        discussion: """
            Operators see the shared connection with espalierctl connections show --platform.

            EXAMPLES
              espalierctl connections list --tenant acme
            """)
    static let view: View? = .connection

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/connections")
    }
}
