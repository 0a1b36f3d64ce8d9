import ArgumentParser

/// `espalierctl connections show`: shows a connection, its keys, its last check and the values for Apple's portal.
struct ShowConnection: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a connection, its keys, its last check and the values for Apple's portal.",
        discussion: """
            EXAMPLES
              espalierctl connections show --tenant acme
              espalierctl connections show --tenant acme --json \\
                | jq -r .apple_portal.return_url
              espalierctl connections show --platform
            """)
    static let view: View? = .connection

    @OptionGroup var connection: ConnectionArgument
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) async throws -> Call {
        .get(try await connection.path(session))
    }
}
