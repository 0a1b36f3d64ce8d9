import ArgumentParser

/// `espalierctl webhooks roll-secret`: creates a new signing secret. Both secrets sign messages during the overlap.
struct RollWebhookSecret: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "roll-secret",
        abstract: "Creates a new signing secret. During the overlap, both secrets sign messages.",
        discussion: """
            EXAMPLES
              espalierctl webhooks roll-secret webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --secret-file hook.secret
            """)
    static let view: View? = .webhookSecret

    @Argument(help: ArgumentHelp("The webhook's ID.", valueName: "id"))
    var webhook: Reference

    @OptionGroup var overlap: OverlapOption
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/webhooks/\(webhook.text)/secrets/roll", ["overlap_seconds": JSON(overlap.overlap)])
    }
}
