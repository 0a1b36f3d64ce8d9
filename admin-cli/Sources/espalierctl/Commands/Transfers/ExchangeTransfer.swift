import ArgumentParser

/// `espalierctl connections transfer exchange`: exchanges the transfer identifiers for the new team's identifiers.
struct ExchangeTransfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exchange",
        abstract: "Exchanges the transfer identifiers with the new team's key.",
        discussion: """
            Run the command within 60 days after Apple has transferred the app. The tenant needs a connection to the new team with the same \
            Services ID and a key that Apple accepts. The exit code is 1 if some users did not move.

            EXAMPLES
              espalierctl connections transfer exchange --tenant acme
              espalierctl connections transfer exchange --tenant acme --rate 2 --json
            """)

    @OptionGroup var pace: TransferPace
    @OptionGroup var transfer: TransferOption
    @OptionGroup var options: ChangeOptions

    func run() async throws {
        let session = try Session(options)
        let path = try await session.path(transfer)
        if options.dryRun { return try session.show([TransferWork.batch(.exchange, path, rate: pace.rate)]) }
        try await session.work(.exchange, path, pace, repeated: transfer.repeated)
    }
}
