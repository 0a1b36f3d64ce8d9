import ArgumentParser

/// `espalierctl apple-keys list`: lists the Apple keys of a connection.
struct ListAppleKeys: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a connection's Apple keys and their states.",
        discussion: """
            EXAMPLES
              espalierctl apple-keys list --tenant acme
              espalierctl apple-keys list --platform
            """)
    static let view: View? = .appleKey

    @OptionGroup var connection: ConnectionOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) async throws -> Call {
        .get("\(try await session.path(connection))/apple-keys")
    }
}
