import ArgumentParser

/// `espalierctl webhooks test`: sends a test message.
struct TestWebhook: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Sends a test message (webhook.test).",
        discussion: """
            EXAMPLES
              espalierctl webhooks test webhook_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .webhookDelivery

    @Argument(help: ArgumentHelp("The webhook's ID.", valueName: "id"))
    var webhook: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/webhooks/\(webhook.text)/test")
    }

    func note(_ delivery: JSON) -> String? {
        "To see the result: espalierctl webhooks deliveries show \(webhook.text) \(delivery["id"]?.text ?? "ID")\(tenant.repeated)"
    }
}
