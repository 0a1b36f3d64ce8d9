import ArgumentParser

/// `espalierctl initial-access-tokens list`: lists a tenant's initial access tokens.
struct ListInitialAccessTokens: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists initial access tokens, newest first.",
        discussion: """
            EXAMPLES
              espalierctl initial-access-tokens list --tenant acme
            """)
    static let view: View? = .initialAccessToken

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/initial-access-tokens")
    }
}
