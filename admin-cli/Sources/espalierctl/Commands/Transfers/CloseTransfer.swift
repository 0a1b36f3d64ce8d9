import ArgumentParser

/// `espalierctl connections transfer close`: the end of a transfer.
struct CloseTransfer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Ends a transfer and forgets its transfer identifiers.",
        discussion: """
            Who has moved stays moved, and the report stays. Who has not becomes a new user at the next login.

            EXAMPLES
              espalierctl connections transfer close --tenant acme
              espalierctl connections transfer close --tenant acme --confirm=acme --no-input
            """)
    static let view: View? = .transfer
    /// What is to be said of one that is closing.
    static let goesOn = "Nobody moves any more. Its transfer identifiers are being forgotten, which goes on by itself."

    @OptionGroup var transfer: TransferOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) async throws -> Call {
        .post("\(try await session.path(transfer))/close").destroying(
            "ends the transfer: who has not moved by now becomes a new user", word: try session.word(transfer.tenant.tenant))
    }

    func note(_ closed: JSON) -> String? {
        !options.json && closed["status"] == "closing" ? Self.goesOn : nil
    }
}
