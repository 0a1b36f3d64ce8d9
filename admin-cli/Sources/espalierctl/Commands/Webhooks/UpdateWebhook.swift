import ArgumentParser

/// `espalierctl webhooks update`: another address, other events, on or off.
struct UpdateWebhook: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes a webhook, or switches it on or off.",
        discussion: """
            What isn't given stays as it is; events that are given replace the old ones.

            EXAMPLES
              espalierctl webhooks update webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --status enabled
              espalierctl webhooks update webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --event user.deleted
            """)
    static let view: View? = .webhook

    @Argument(help: ArgumentHelp("The webhook's id.", valueName: "id"))
    var webhook: Reference

    @Option(help: "Where messages are sent; https.")
    var url: String?

    @Option(name: .customLong("event"), help: ArgumentHelp("What it is told of. Repeat it for several.", valueName: "type"))
    var events: [String] = []

    @Option(help: ArgumentHelp("What it is for.", valueName: "text"))
    var description: String?

    @Option(help: "Whether it is told anything.")
    var status: WebhookStatus?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    private var members: [String: JSON?] {
        ["url": JSON(url), "events": JSON(events), "description": JSON(description), "status": JSON(status)]
    }

    func validate() throws {
        guard members.values.contains(where: { $0 != nil }) else { throw ValidationError("Say what to change.") }
    }

    func call(_ session: Session) throws -> Call {
        let path = "\(try session.path(tenant))/webhooks/\(webhook.text)"
        return .patch(path, members).ifUnchanged(path, match.ifMatch)
    }
}
