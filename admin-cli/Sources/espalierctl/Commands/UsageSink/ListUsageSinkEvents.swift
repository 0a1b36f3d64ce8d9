import ArgumentParser

/// `espalierctl usage sink events`: lists the events that were set aside.
struct ListUsageSinkEvents: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Lists the events that were set aside, with the reason and the HTTP status of each.",
        discussion: """
            EXAMPLES
              espalierctl usage sink events --all
              espalierctl usage sink events --json | jq -r '.data[].tenant_id' | sort \\
                | uniq -c
            """)
    static let view: View? = .usageSinkEvent

    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("platform/usage-sink/events")
    }
}
