import ArgumentParser

/// `espalierctl usage sink retry`: no waiting for the next attempt.
struct RetryUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Tries at once whatever waits.",
        discussion: """
            EXAMPLES
              espalierctl usage sink retry
            """)
    static let view: View? = .usageSink

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("platform/usage-sink/retry")
    }
}
