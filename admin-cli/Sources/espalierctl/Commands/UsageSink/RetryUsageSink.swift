import ArgumentParser

/// `espalierctl usage sink retry`: no waiting for the next attempt, and another one for what was set aside.
struct RetryUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Tries at once whatever waits, and what was set aside.",
        discussion: """
            What the receiver refused by itself is set aside, and so is what Stripe may have counted more than a day ago ("Perhaps counted"): \
            the latter may count twice if it is tried again.

            EXAMPLES
              espalierctl usage sink retry
            """)
    static let view: View? = .usageSink

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("platform/usage-sink/retry")
    }
}
