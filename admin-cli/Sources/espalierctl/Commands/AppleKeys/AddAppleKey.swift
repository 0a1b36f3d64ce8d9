import ArgumentParser

/// `espalierctl apple-keys add`: adds an Apple key to a connection as the next key.
struct AddAppleKey: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a next Apple key. It does not sign until you promote it.",
        discussion: """
            Espalier checks at Apple whether the key is accepted. To add and promote a key with one command, use espalierctl apple-keys \
            rotate.

            EXAMPLES
              espalierctl apple-keys add --tenant acme --key-file AuthKey_F6G7H8I9J0.p8
              espalierctl apple-keys add --tenant acme --key-id F6G7H8I9J0 --key-file - \\
                < key.p8
            """)
    static let view: View? = .appleKey

    @OptionGroup var key: AppleKeyOptions
    @OptionGroup var connection: ConnectionOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        try key.requireInput(besides: options.server)
    }

    func call(_ session: Session) async throws -> Call {
        let key = try key.read()
        return .addAppleKey(key, to: try await session.path(connection), match.ifMatch)
    }

    func note(_ key: JSON) -> String? {
        key["proven_at"] == nil
            ? "Apple was not reachable. Promoting the key checks it again: espalierctl apple-keys promote \(key["id"]?.text ?? "ID")\(connection.repeated)"
            : "Apple accepts the key. To sign with it: espalierctl apple-keys promote \(key["id"]?.text ?? "ID")\(connection.repeated)"
    }
}

extension Call {
    static func addAppleKey(_ key: AppleKeyFile, to connection: String, _ entityTag: String? = nil) -> Call {
        Call.post(
            "\(connection)/apple-keys", ["key_id": JSON(key.keyID), "private_key": JSON(key.privateKey)], secret: ["private_key"]
        ).ifUnchanged(connection, entityTag)
    }

    /// Promotes an Apple key.
    /// - Parameter path: the path of the key.
    static func promoteAppleKey(_ path: String, of connection: String, overlap: Span, _ entityTag: String? = nil) -> Call {
        Call.post("\(path)/promote", ["overlap_seconds": JSON(overlap)]).ifUnchanged(connection, entityTag)
    }
}
