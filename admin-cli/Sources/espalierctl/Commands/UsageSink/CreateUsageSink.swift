import ArgumentParser

/// `espalierctl usage sink create`: creates the usage sink.
struct CreateUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Creates the usage sink, which pushes every new login to a meter.",
        discussion: """
            The platform has one sink. Each login arrives at least once. It carries its ID, so the receiver can count it once. Requires an operator.

            EXAMPLES
              espalierctl usage sink create --format cloudevents \\
                --url https://openmeter.example.com/api/v1/events --secret-from om.token
              espalierctl usage sink create --format stripe --event-name logins \\
                --url https://api.stripe.com/v1/billing/meter_events \\
                --secret-from stripe.key
            """)
    static let view: View? = .usageSink

    @Option(help: "The format that the receiver accepts.")
    var format: UsageSinkFormat

    @Option(help: "The https address of the receiver.")
    var url: String

    @Option(help: ArgumentHelp("The meter's event name at Stripe.", valueName: "name"))
    var eventName: String?

    @OptionGroup var secret: UsageSinkSecretOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post(
            "platform/usage-sink",
            ["format": JSON(format), "url": JSON(url), "event_name": JSON(eventName), "secret": JSON(try secret.read())],
            secret: ["secret"])
    }

    func advice(for failure: Failure) -> Failure {
        guard failure.problem?.code == "already_exists" else { return failure }
        var failure = failure
        failure.nextStep = "`espalierctl usage sink show` shows it. Use `update` to change it, or `delete` to remove it."
        return failure
    }

    func note(_ sink: JSON) -> String? {
        format == .stripe ? "Set the Stripe customer of each tenant: espalierctl usage sink customers set CUSTOMER --tenant SLUG" : nil
    }
}
