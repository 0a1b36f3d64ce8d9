import ArgumentParser

/// `espalierctl usage sink show`: where usage is pushed to, and what waits.
struct ShowUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows where usage is pushed to, how much of it waits, and what was set aside.",
        discussion: """
            EXAMPLES
              espalierctl usage sink show
              espalierctl usage sink show --json | jq .waiting.events
            """)
    static let view: View? = .usageSink

    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("platform/usage-sink")
    }
}
