import ArgumentParser

/// `espalierctl usage sink show`: shows the usage sink, its waiting events and its set-aside events.
struct ShowUsageSink: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the usage sink, its waiting events and its set-aside events.",
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
