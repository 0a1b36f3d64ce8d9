import ArgumentParser

/// `espalierctl webhooks create`: a new place to tell.
struct CreateWebhook: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates a webhook; the secret that signs its messages is shown once.",
        discussion: """
            Events: user.created, user.deleted, user.consent_revoked, user.email_disabled, user.email_enabled, session.revoked, \
            connection.failing, key.expiring, usage.threshold, statement.closed.

            EXAMPLES
              espalierctl webhooks create https://acme.example.com/hooks --tenant acme \\
                --event user.created --event user.deleted
              espalierctl webhooks create https://acme.example.com/hooks --tenant acme \\
                --event connection.failing --secret-file hook.secret
            """)
    static let view: View? = .webhook

    @Argument(help: "Where messages are sent; https.")
    var url: String

    @Option(name: .customLong("event"), help: ArgumentHelp("What it is told of. Repeat it for several.", valueName: "type"))
    var events: [String]

    @Option(help: ArgumentHelp("What it is for.", valueName: "text"))
    var description: String?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/webhooks", ["url": JSON(url), "events": JSON(events), "description": JSON(description)])
    }
}
