import ArgumentParser

/// `espalierctl webhooks list`: lists a tenant's webhooks.
struct ListWebhooks: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's webhooks, newest first.",
        discussion: """
            EXAMPLES
              espalierctl webhooks list --tenant acme
            """)
    static let view: View? = .webhook

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/webhooks")
    }
}
