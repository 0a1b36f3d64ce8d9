import ArgumentParser

/// `espalierctl domains list`: lists a tenant's domains.
struct ListDomains: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's domains, newest first.",
        discussion: """
            EXAMPLES
              espalierctl domains list --tenant acme
            """)
    static let view: View? = .domain

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/domains")
    }
}
