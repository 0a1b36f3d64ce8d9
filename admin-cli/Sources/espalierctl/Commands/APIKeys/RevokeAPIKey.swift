import ArgumentParser

/// `espalierctl api-keys revoke`: the end of one key.
struct RevokeAPIKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revokes an API key, everywhere within a second.",
        discussion: """
            EXAMPLES
              espalierctl api-keys revoke apikey_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
              espalierctl api-keys revoke apikey_01jd8x3v6qf9wr2m5tzk7h4c0n --platform \\
                --confirm=platform --no-input
            """)
    static let view: View? = .apiKey

    @Argument(help: ArgumentHelp("The API key's id.", valueName: "id"))
    var key: Reference

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .post("\(try session.path(owner))/api-keys/\(key.text)/revoke").destroying(
            "revokes the API key \(key.text): whoever uses it is refused at once", word: try session.word(owner))
    }
}
