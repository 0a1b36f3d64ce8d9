import ArgumentParser

/// `espalierctl connections transfer list`: lists a tenant's transfers with the number of users in each state.
struct ListTransfers: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's transfers with the number of users in each state.",
        discussion: """
            EXAMPLES
              espalierctl connections transfer list --tenant acme
            """)
    static let view: View? = .transfer

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/transfers")
    }
}
