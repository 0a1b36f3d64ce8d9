import ArgumentParser

/// `espalierctl api-keys issue`: a new key with chosen scopes.
struct IssueAPIKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Issues an API key, which is shown once.",
        discussion: """
            A key can't get a scope that your own key lacks.

            SCOPES
            \(APIKeyScope.list)

            EXAMPLES
              espalierctl api-keys issue --tenant acme --name billing --scope usage:read \\
                --secret-file billing.key
              espalierctl api-keys issue --tenant acme --name support --scope users:read \\
                --scope sessions:write --expires-at 2027-01-01
              espalierctl api-keys issue --platform --name deploy --scope tenants:write
            """)
    static let view: View? = .apiKey

    @Option(help: "The display name.")
    var name: String

    @Option(
        name: .customLong("scope"), help: ArgumentHelp("A permission of the key. Repeat it for several.", valueName: "scope"),
        completion: .list(APIKeyScope.all))
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
