import ArgumentParser

/// `espalierctl api-keys issue`: issues an API key with scopes.
struct IssueAPIKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "issue",
        abstract: "Issues an API key. The key is shown once.",
        discussion: """
            The new key can only have scopes of your own key.

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
        name: .customLong("scope"), help: ArgumentHelp("A scope of the key. Repeat the option for several scopes.", valueName: "scope"),
        completion: .list(APIKeyScope.all))
    var scopes: [String]

    @Option(
        help: ArgumentHelp(
            "The time at which the key expires: 2027-01-01 or 2027-01-01T00:00:00Z. By default, it does not expire.", valueName: "time"))
    var expiresAt: Instant?

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post(
            "\(try session.path(owner))/api-keys",
            ["name": JSON(name), "scopes": JSON(scopes), "expires_at": JSON(expiresAt?.text)])
    }

    func advice(for failure: Failure) -> Failure {
        APIKeyScope.advice(for: failure, scopes: scopes)
    }
}
