import ArgumentParser

/// `espalierctl apple-keys retire`: the end of a key.
struct RetireAppleKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Retires a key: it never signs again.",
        discussion: """
            Do this before you revoke the key in Apple's portal.

            EXAMPLES
              espalierctl apple-keys retire F6G7H8I9J0 --tenant acme
              espalierctl apple-keys retire F6G7H8I9J0 --tenant acme --confirm=acme \\
                --no-input
            """)
    static let view: View? = .appleKey

    @Argument(help: ArgumentHelp("The key: its id, or Apple's Key ID.", valueName: "id"))
    var key: Reference

    @OptionGroup var connection: ConnectionOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) async throws -> Call {
        let connection = try await session.path(connection)
        let path = try await session.path(appleKey: key, of: connection)
        return Call.post("\(path)/retire").ifUnchanged(connection, match.ifMatch).destroying(
            "retires the Apple key \(key.text) for good", word: try session.word(self.connection.owner))
    }

    func note(_ answer: JSON) -> String? {
        "It can now be revoked in Apple's portal, under Keys."
    }
}
