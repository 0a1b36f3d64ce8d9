import ArgumentParser

/// `espalierctl initial-access-tokens show`: shows an initial access token without its secret.
struct ShowInitialAccessToken: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an initial access token without its secret.",
        discussion: """
            EXAMPLES
              espalierctl initial-access-tokens show iat_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)
    static let view: View? = .initialAccessToken

    @Argument(help: ArgumentHelp("The initial access token's ID.", valueName: "id"))
    var token: Reference

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/initial-access-tokens/\(token.text)")
    }
}
