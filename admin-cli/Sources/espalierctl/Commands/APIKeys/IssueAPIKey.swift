import ArgumentParser

/// `espalierctl api-keys issue`: a new key with chosen scopes.
struct IssueAPIKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Issues an API key, which is shown once.",
        discussion: """
            A key can't get a scope that yours lacks. Scopes are resource:read or resource:write: tenants, applications, connections, users, \
            sessions, api_keys, webhooks, notifications; usage:read, audit:read.

            EXAMPLES
              espalierctl api-keys issue --tenant acme --name billing --scope usage:read \\
                --secret-file billing.key
              espalierctl api-keys issue --tenant acme --name support --scope users:read \\
                --scope sessions:write --expires-at 2027-01-01
              espalierctl api-keys issue --platform --name deploy --scope tenants:write
            """)
    static let view: View? = .apiKey

    @Option(help: "What people call it.")
    var name: String

    @Option(name: .customLong("scope"), help: ArgumentHelp("What it may do. Repeat it for several.", valueName: "scope"))
    var scopes: [String]

    @Option(help: ArgumentHelp("When it ends, as 2027-01-01 or 2027-01-01T00:00:00Z.", valueName: "time"))
    var expiresAt: Instant?

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post(
            "\(try session.path(owner))/api-keys",
            ["name": JSON(name), "scopes": JSON(scopes), "expires_at": JSON(expiresAt?.text)])
    }
}
