import ArgumentParser

/// `espalierctl connections transfer show`: how one transfer stands.
struct ShowTransfer: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows one transfer, with how many users are where.",
        discussion: """
            EXAMPLES
              espalierctl connections transfer show --tenant acme
              espalierctl connections transfer show --tenant acme --json
            """)
    static let view: View? = .transfer

    @OptionGroup var transfer: TransferOption
    @OptionGroup var options: ReadOptions

    func call(_ session: Session) async throws -> Call {
        .get(try await session.path(transfer))
    }
}
