import ArgumentParser

/// `espalierctl api-keys roll`: replaces an API key with a new one.
struct RollAPIKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "roll",
        abstract: "Issues a new API key with the same scopes. The old one stays valid for the overlap.",
        discussion: """
            EXAMPLES
              espalierctl api-keys roll apikey_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme \\
                --secret-file billing.key
              espalierctl api-keys roll apikey_01jd8x3v6qf9wr2m5tzk7h4c0n --platform \\
                --overlap 1h
            """)
    static let view: View? = .apiKey

    @Argument(help: ArgumentHelp("The API key's ID.", valueName: "id"))
    var key: Reference

    @OptionGroup var overlap: OverlapOption
    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: SecretOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(owner))/api-keys/\(key.text)/roll", ["overlap_seconds": JSON(overlap.overlap)])
    }
}
