import ArgumentParser

/// `espalierctl apple-keys promote`: makes the next Apple key the current one.
struct PromoteAppleKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "promote",
        abstract: "Makes the next Apple key the current one. The old key stays usable for the overlap.",
        discussion: """
            Espalier first checks the key at Apple. A key that Apple rejects never signs. If Apple rejects the key during the overlap, the \
            old key becomes current again automatically.

            EXAMPLES
              espalierctl apple-keys promote F6G7H8I9J0 --tenant acme
              espalierctl apple-keys promote F6G7H8I9J0 --tenant acme --overlap 7d
            """)
    static let view: View? = .appleKey

    @Argument(help: ArgumentHelp("The key's ID, or Apple's Key ID.", valueName: "id"))
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
