import ArgumentParser

/// `espalierctl support list`: lists the support accesses of a tenant.
struct ListSupport: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the support accesses of a tenant, newest first.",
        discussion: """
            EXAMPLES
              espalierctl support list --tenant acme
            """)
    static let view: View? = .supportAccess

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/support-accesses")
    }
}
