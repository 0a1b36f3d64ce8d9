import ArgumentParser

/// `espalierctl webhooks delete`: deletes a webhook.
struct DeleteWebhook: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a webhook and its deliveries.",
        discussion: """
            EXAMPLES
              espalierctl webhooks delete webhook_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl webhooks delete webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --confirm=acme --no-input
            """)

    @Argument(help: ArgumentHelp("The webhook's ID.", valueName: "id"))
    var webhook: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(tenant))/webhooks/\(webhook.text)").ifUnchanged(nil, match.ifMatch).destroying(
            "deletes the webhook \(webhook.text) and its deliveries", word: try session.word(tenant.tenant))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(webhook.text)."
    }
}
