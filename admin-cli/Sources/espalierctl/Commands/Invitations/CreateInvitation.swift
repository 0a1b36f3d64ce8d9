import ArgumentParser

/// `espalierctl invitations create`: invites a person to a tenant.
struct CreateInvitation: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Invites a person to a tenant.",
        discussion: """
            You need all scopes of the role. The link is valid for 7 days, or until --expires-at, up to 30 days. The server mails it. \
            With --no-mail, or if the server sends no mails, the command shows it once. Then send it to the person yourself.

            EXAMPLES
              espalierctl invitations create grace@example.com --tenant acme \\
                --role developer
              espalierctl invitations create grace@example.com --tenant acme \\
                --role viewer --no-mail --jq .url
            """)
    static let view: View? = .invitation

    @Argument(help: "The address of the person.")
    var email: String

    @Option(help: "The role.")
    var role: RoleName

    @Option(
        help: ArgumentHelp("The end of the link's validity: 2027-01-01 or 2027-01-01T00:00:00Z. By default, in 7 days.", valueName: "time"))
    var expiresAt: Instant?

    @Flag(help: "Shows the link, and mails nothing.")
    var noMail = false

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post(
            "\(try session.path(tenant))/invitations",
            [
                "email": JSON(email), "role": JSON(role.text), "expires_at": JSON(expiresAt?.text),
                "send_mail": JSON(noMail ? false : nil),
            ])
    }

    func completed(_ answer: JSON, _ session: Session, _ client: APIClient) async throws(Failure) -> JSON {
        options.json ? answer : await RoleNames.named(in: answer, try session.path(tenant), client)
    }

    func note(_ invitation: JSON) -> String? {
        guard invitation["url"]?.string != nil else { return "Only the mail contains the link." }
        return View.linkNote
    }
}
