import ArgumentParser

/// `espalierctl initial-access-tokens issue`: issues an initial access token.
struct IssueInitialAccessToken: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Issues an initial access token. The token is shown once.",
        discussion: """
            The software sends it to the registration_endpoint of the tenant's discovery document (RFC 7591).

            EXAMPLES
              espalierctl initial-access-tokens issue --tenant acme \\
                --name "Partner portal" --registrations 10 --secret-file portal.token
              espalierctl initial-access-tokens issue --tenant acme \\
                --name "Terminal tools" --kind native --expires-at 2027-01-01
            """)
    static let view: View? = .initialAccessToken

    @Option(help: "The display name, for example of the partner.")
    var name: String

    @Option(
        name: .customLong("kind"),
        help: ArgumentHelp(
            "A kind of application that it may register. Repeat the option for several. By default: web, spa and native. A machine can inspect every access token of the tenant.",
            valueName: "kind"))
    var kinds: [ApplicationKind] = []

    @Flag(
        inversion: .prefixedNo, exclusivity: .exclusive,
        help: "Requires PKCE of its web applications, which is the default, or exempts them.")
    var pkce: Bool?

    @Option(help: ArgumentHelp("The permitted number of registrations, 1 to 500. By default, 1.", valueName: "count"))
    var registrations: Int?

    @Option(
        help: ArgumentHelp(
            "The time at which the token expires, at most 90 days from now: 2027-01-01 or 2027-01-01T00:00:00Z. By default, 7 days from now.",
            valueName: "time"))
    var expiresAt: Instant?

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post(
            "\(try session.path(tenant))/initial-access-tokens",
            [
                "name": JSON(name), "kinds": kinds.isEmpty ? nil : JSON(kinds.map(\.rawValue)), "requires_pkce": JSON(pkce),
                "max_registrations": JSON(registrations), "expires_at": JSON(expiresAt?.text),
            ])
    }
}
