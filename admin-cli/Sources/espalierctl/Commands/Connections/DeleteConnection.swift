import ArgumentParser

/// `espalierctl connections delete`: deletes a connection that serves no logins.
struct DeleteConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes a connection and its keys. A serving connection cannot be deleted.",
        discussion: """
            EXAMPLES
              espalierctl connections delete connection_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
              espalierctl connections delete --platform --confirm=platform --no-input
            """)

    @OptionGroup var connection: ConnectionArgument
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) async throws -> Call {
        let path = try await connection.path(session)
        return .delete(path).ifUnchanged(path, match.ifMatch).destroying(
            "deletes the connection \(connection.connection?.text ?? path) and its keys", word: try session.word(connection.owner))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted the connection."
    }
}
