import ArgumentParser

/// `espalierctl usage sink update`: another address, another secret, on or off.
struct UpdateUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes the usage sink, pauses it, or has it go on.",
        discussion: """
            What isn't given stays as it is. What waits is tried again at once.

            EXAMPLES
              espalierctl usage sink update --status paused
              espalierctl usage sink update --secret-from - < new.key
            """)
    static let view: View? = .usageSink

    @Option(help: "Where it takes it; https.")
    var url: String?

    @Option(help: ArgumentHelp("The meter's event name at Stripe.", valueName: "name"))
    var eventName: String?

    @Option(help: "Whether anything is sent; what comes while it is paused waits.")
    var status: UsageSinkStatus?

    @OptionGroup var secret: UsageSinkSecretOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard url != nil || eventName != nil || status != nil || secret.secretFrom != nil else {
            throw ValidationError("Say what to change.")
        }
    }

    func call(_ session: Session) throws -> Call {
        let path = "platform/usage-sink"
        return Call.patch(
            path, ["url": JSON(url), "event_name": JSON(eventName), "status": JSON(status), "secret": JSON(try secret.read())],
            secret: ["secret"]
        ).ifUnchanged(path, match.ifMatch)
    }
}
