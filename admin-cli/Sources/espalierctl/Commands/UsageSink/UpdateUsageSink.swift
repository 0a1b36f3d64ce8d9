import ArgumentParser

/// `espalierctl usage sink update`: changes the usage sink.
struct UpdateUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Changes, pauses or enables the usage sink.",
        discussion: """
            Properties without an option do not change. Espalier retries waiting events at once.

            EXAMPLES
              espalierctl usage sink update --status paused
              espalierctl usage sink update --secret-from - < new.key
            """)
    static let view: View? = .usageSink

    @Option(help: "The https address of the receiver.")
    var url: String?

    @Option(help: ArgumentHelp("The meter's event name at Stripe.", valueName: "name"))
    var eventName: String?

    @Option(help: "The status. While the sink is paused, events wait.")
    var status: UsageSinkStatus?

    @OptionGroup var secret: UsageSinkSecretOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func validate() throws {
        guard url != nil || eventName != nil || status != nil || secret.secretFrom != nil else {
            throw ValidationError("Pass --url, --event-name, --status or --secret-from.")
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
