import ArgumentParser

/// `espalierctl connections transfer exchange`: makes everybody who was collected known under the new team.
struct ExchangeTransfer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "exchange",
        abstract: "Exchanges the transfer identifiers, with the new team's key.",
        discussion: """
            After Apple has transferred the app, and within 60 days. The tenant needs a connection to the new team with the same Services ID, \
            whose key Apple accepts. Ends with 1 when some did not move.

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
        try await session.work(.exchange, path, pace, again: transfer.again)
    }
}
