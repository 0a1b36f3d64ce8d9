import ArgumentParser

/// `espalierctl connections transfer close`: closes a transfer.
struct CloseTransfer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Closes a transfer and erases its transfer identifiers.",
        discussion: """
            Moved users and the report stay. All other people become new users at their next login.

            EXAMPLES
              espalierctl connections transfer close --tenant acme
              espalierctl connections transfer close --tenant acme --confirm=acme \\
                --no-input
            """)
    static let view: View? = .transfer
    /// The message about a transfer that is closing.
    static let closingNote = "No more users can move. Espalier is erasing the transfer identifiers. No action is required."

    @OptionGroup var transfer: TransferOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) async throws -> Call {
        .post("\(try await session.path(transfer))/close").destroying(
            "closes the transfer. People who have not moved become new users", word: try session.word(transfer.tenant.tenant))
    }

    func note(_ closed: JSON) -> String? {
        !options.json && closed["status"] == "closing" ? Self.closingNote : nil
    }
}
