import ArgumentParser

/// `espalierctl webhooks deliveries replay`: sends a delivery again.
struct ReplayWebhookDelivery: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Sends a delivery again.",
        discussion: """
            EXAMPLES
              espalierctl webhooks deliveries replay webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                delivery_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .webhookDelivery

    @Argument(help: ArgumentHelp("The webhook's ID.", valueName: "id"))
    var webhook: Reference

    @Argument(help: ArgumentHelp("The delivery's ID.", valueName: "delivery-id"))
    var delivery: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/webhooks/\(webhook.text)/deliveries/\(delivery.text)/replay")
    }
}
