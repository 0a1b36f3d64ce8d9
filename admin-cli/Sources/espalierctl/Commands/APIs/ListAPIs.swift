import ArgumentParser

/// `espalierctl apis list`: lists a tenant's APIs.
struct ListAPIs: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's APIs, newest first.",
        discussion: """
            EXAMPLES
              espalierctl apis list --tenant acme
            """)
    static let view: View? = .api

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/apis")
    }
}
