import ArgumentParser

/// `espalierctl connections transfer list`: a tenant's transfers, with how many users are where.
struct ListTransfers: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's transfers.",
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
