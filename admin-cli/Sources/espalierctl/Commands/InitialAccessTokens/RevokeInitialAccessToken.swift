import ArgumentParser

/// `espalierctl initial-access-tokens revoke`: revokes an initial access token.
struct RevokeInitialAccessToken: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes an initial access token. Applications that were registered with it stay.",
        discussion: """
            EXAMPLES
              espalierctl initial-access-tokens revoke iat_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
              espalierctl initial-access-tokens revoke iat_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --confirm=acme --no-input
            """)
    static let view: View? = .initialAccessToken

    @Argument(help: ArgumentHelp("The initial access token's ID.", valueName: "id"))
    var token: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(tenant))/initial-access-tokens/\(token.text)/revoke").destroying(
            "revokes the initial access token \(token.text), which then registers no other application",
            word: try session.word(tenant.tenant))
    }
}
