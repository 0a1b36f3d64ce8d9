import ArgumentParser

/// `espalierctl webhooks show`: shows a webhook.
struct ShowWebhook: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a webhook.",
        discussion: """
            EXAMPLES
              espalierctl webhooks show webhook_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .webhook

    @Argument(help: ArgumentHelp("The webhook's ID.", valueName: "id"))
    var webhook: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/webhooks/\(webhook.text)")
    }
}
