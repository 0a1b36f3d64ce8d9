import ArgumentParser

/// `espalierctl webhooks deliveries list`: lists a webhook's deliveries.
struct ListWebhookDeliveries: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a webhook's deliveries, newest first.",
        discussion: """
            EXAMPLES
              espalierctl webhooks deliveries list webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --state failed
            """)
    static let view: View? = .webhookDelivery

    @Argument(help: ArgumentHelp("The webhook's ID.", valueName: "id"))
    var webhook: Reference

    @Option(help: "Shows only deliveries in this state.")
    var state: DeliveryState?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/webhooks/\(webhook.text)/deliveries", ["state": state?.rawValue])
    }
}
