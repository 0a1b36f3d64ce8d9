import ArgumentParser

/// `espalierctl api-keys revoke`: revokes an API key.
struct RevokeAPIKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes an API key. All servers reject it within 1 second.",
        discussion: """
            EXAMPLES
              espalierctl api-keys revoke apikey_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl api-keys revoke apikey_01jd8x3v6qf9wr2m5tzk7h4c0n --platform \\
                --confirm=platform --no-input
            """)
    static let view: View? = .apiKey

    @Argument(help: ArgumentHelp("The API key's ID.", valueName: "id"))
    var key: Reference

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(owner))/api-keys/\(key.text)/revoke").destroying(
            "revokes the API key \(key.text) and rejects its requests at once", word: try session.word(owner))
    }
}
