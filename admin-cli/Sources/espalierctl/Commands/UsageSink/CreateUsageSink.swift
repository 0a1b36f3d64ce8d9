import ArgumentParser

/// `espalierctl usage sink create`: a meter to push to.
struct CreateUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Pushes every login from now on to a meter; needs an operator's API key.",
        discussion: """
            There is one sink. Each login arrives at least once, with its id, by which the receiver counts once.

            EXAMPLES
              espalierctl usage sink create --format cloudevents \\
                --url https://openmeter.example.com/api/v1/events --secret-from om.token
              espalierctl usage sink create --format stripe --event-name logins \\
                --url https://api.stripe.com/v1/billing/meter_events --secret-from stripe.key
            """)
    static let view: View? = .usageSink

    @Option(help: "What the receiver takes.")
    var format: UsageSinkFormat

    @Option(help: "Where it takes it; https.")
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
        failure.nextStep = "`espalierctl usage sink show` shows it. Change it with `update`, or remove it with `delete`."
        return failure
    }

    func note(_ sink: JSON) -> String? {
        format == .stripe ? "Say what Stripe calls each tenant: espalierctl usage sink customers set CUSTOMER --tenant SLUG" : nil
    }
}
