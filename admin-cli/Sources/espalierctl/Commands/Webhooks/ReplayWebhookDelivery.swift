import ArgumentParser

/// `espalierctl webhooks deliveries replay`: one message, once more.
struct ReplayWebhookDelivery: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Sends a delivery once more.",
        discussion: """
            EXAMPLES
              espalierctl webhooks deliveries replay webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                delivery_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .webhookDelivery

    @Argument(help: ArgumentHelp("The webhook's id.", valueName: "id"))
    var webhook: Reference

    @Argument(help: ArgumentHelp("The delivery's id.", valueName: "delivery-id"))
    var delivery: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/webhooks/\(webhook.text)/deliveries/\(delivery.text)/replay")
    }
}
