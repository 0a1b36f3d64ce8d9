import ArgumentParser

/// `espalierctl webhooks roll-secret`: messages are signed with a new secret, and for a while with the old one, too.
struct RollWebhookSecret: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "roll-secret",
        abstract: "Makes a new signing secret; for the overlap messages are signed with both.",
        discussion: """
            EXAMPLES
              espalierctl webhooks roll-secret webhook_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --secret-file hook.secret
            """)
    static let view: View? = .webhookSecret

    @Argument(help: ArgumentHelp("The webhook's id.", valueName: "id"))
    var webhook: Reference

    @OptionGroup var overlap: OverlapOption
    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/webhooks/\(webhook.text)/secrets/roll", ["overlap_seconds": JSON(overlap.overlap)])
    }
}
