import ArgumentParser

/// `espalierctl api-keys show`: shows an API key without its secret.
struct ShowAPIKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an API key without its secret.",
        discussion: """
            EXAMPLES
              espalierctl api-keys show apikey_01jd8x3v6qf9wr2m5tzk7h4c0n --tenant acme
            """)
    static let view: View? = .apiKey

    @Argument(help: ArgumentHelp("The API key's ID.", valueName: "id"))
    var key: Reference

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(owner))/api-keys/\(key.text)")
    }
}
