import ArgumentParser

/// `espalierctl webhooks update`: changes, enables or disables a webhook.
struct UpdateWebhook: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes, enables or disables a webhook.",
        discussion: """
            Properties without an option do not change. New events replace the old ones.

            EXAMPLES
              espalierctl webhooks update webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --status enabled
              espalierctl webhooks update webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --event user.deleted
            """)
    static let view: View? = .webhook

    @Argument(help: ArgumentHelp("The webhook's ID.", valueName: "id"))
    var webhook: Reference

    @Option(help: "The https address that receives the messages.")
    var url: String?

    @Option(
        name: .customLong("event"),
        help: ArgumentHelp("The type of event that the webhook receives. Repeat the option for several types.", valueName: "type"))
    var events: [String] = []

    @Option(help: ArgumentHelp("A note about the purpose of the webhook.", valueName: "text"))
    var description: String?

    @Option(help: "The status. A disabled webhook receives no messages.")
    var status: WebhookStatus?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    private var members: [String: JSON?] {
        ["url": JSON(url), "events": JSON(events), "description": JSON(description), "status": JSON(status)]
    }

    func validate() throws {
        guard members.values.contains(where: { $0 != nil }) else {
            throw ValidationError("Pass --url, --event, --description or --status.")
        }
    }

    func call(_ session: Session) throws -> Call {
        let path = "\(try session.path(tenant))/webhooks/\(webhook.text)"
        return .patch(path, members).ifUnchanged(path, match.ifMatch)
    }
}
