import ArgumentParser

/// `espalierctl usage sink retry`: retries waiting events and set-aside events at once.
struct RetryUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retries waiting events and set-aside events at once.",
        discussion: """
            Espalier sets an event aside if the receiver rejects it individually. It also sets an event aside if Stripe may have counted it \
            more than one day ago ("Perhaps counted"). A retry of such an event may count it twice.

            EXAMPLES
              espalierctl usage sink retry
            """)
    static let view: View? = .usageSink

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("platform/usage-sink/retry")
    }
}
