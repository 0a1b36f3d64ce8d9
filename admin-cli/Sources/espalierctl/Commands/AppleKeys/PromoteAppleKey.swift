import ArgumentParser

/// `espalierctl apple-keys promote`: the next key becomes the current one.
struct PromoteAppleKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Lets the next key sign; the old one stays usable for the overlap.",
        discussion: """
            Apple is asked first: a key it doesn't accept never signs. Should Apple refuse it within the overlap, the old one comes back by itself.

            EXAMPLES
              espalierctl apple-keys promote F6G7H8I9J0 --tenant acme
              espalierctl apple-keys promote F6G7H8I9J0 --tenant acme --overlap 7d
            """)
    static let view: View? = .appleKey

    @Argument(help: ArgumentHelp("The key: its id, or Apple's Key ID.", valueName: "id"))
    var key: Reference

    @OptionGroup var overlap: OverlapOption
    @OptionGroup var connection: ConnectionOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) async throws -> Call {
        let connection = try await session.path(connection)
        let path = try await session.path(appleKey: key, of: connection)
        return .promoteAppleKey(path, of: connection, overlap: overlap.overlap, match.ifMatch)
    }
}
