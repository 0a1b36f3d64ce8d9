import ArgumentParser

/// `espalierctl webhooks create`: creates a webhook.
struct CreateWebhook: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a webhook. Its signing secret is shown once.",
        discussion: """
            Events: user.created, user.deleted, user.consent_revoked, user.email_disabled, user.email_enabled, \
            user.identity_added, user.identity_removed, session.revoked, connection.failing, key.expiring, usage.threshold, \
            statement.closed, support_access.started, support_access.ended.

            With --format workos, receivers that were written for WorkOS need no change. The events are user.created, user.deleted and \
            session.revoked. Each delivery contains the profile of the user, or the address of the session.

            EXAMPLES
              espalierctl webhooks create https://acme.example.com/hooks --tenant acme \\
                --event user.created --event user.deleted
              espalierctl webhooks create https://acme.example.com/hooks --tenant acme \\
                --event connection.failing --secret-file hook.secret
              espalierctl webhooks create https://acme.example.com/workos --tenant acme \\
                --event user.created --format workos
            """)
    static let view: View? = .webhook

    @Argument(help: "The https address that receives the messages.")
    var url: String

    @Option(
        name: .customLong("event"),
        help: ArgumentHelp("The type of event that the webhook receives. Repeat the option for several types.", valueName: "type"))
    var events: [String]

    @Option(help: ArgumentHelp("The form of the deliveries, which cannot change. espalier is the default.", valueName: "format"))
    var format: WebhookFormat?

    @Option(help: ArgumentHelp("A note about the purpose of the webhook.", valueName: "text"))
    var description: String?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post(
            "\(try session.path(tenant))/webhooks",
            ["url": JSON(url), "events": JSON(events), "format": JSON(format), "description": JSON(description)])
    }
}
