import ArgumentParser

/// `espalierctl apple-keys retire`: retires an Apple key permanently.
struct RetireAppleKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "retire",
        abstract: "Retires an Apple key permanently. It never signs again.",
        discussion: """
            Retire the key before you revoke it in Apple's portal.

            EXAMPLES
              espalierctl apple-keys retire F6G7H8I9J0 --tenant acme
              espalierctl apple-keys retire F6G7H8I9J0 --tenant acme --confirm=acme \\
                --no-input
            """)
    static let view: View? = .appleKey

    @Argument(help: ArgumentHelp("The key's ID, or Apple's Key ID.", valueName: "id"))
    var key: Reference

    @OptionGroup var connection: ConnectionOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) async throws -> Call {
        let connection = try await session.path(connection)
        let path = try await session.path(appleKey: key, of: connection)
        return Call.post("\(path)/retire").ifUnchanged(connection, match.ifMatch).destroying(
            "retires the Apple key \(key.text) permanently", word: try session.word(self.connection.owner))
    }

    func note(_ answer: JSON) -> String? {
        "You can now revoke this key in Apple's portal, under Keys."
    }
}
