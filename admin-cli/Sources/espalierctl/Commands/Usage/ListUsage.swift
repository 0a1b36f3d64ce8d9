import ArgumentParser

/// `espalierctl usage list`: every tenant's billable logins.
struct ListUsage: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists every tenant's billable logins, the newest tenant first; needs an operator's API key.",
        discussion: """
            In whole days of UTC; without --from and --to, the current month. How many different users signed in is told of one month or one \
            day.

            EXAMPLES
              espalierctl usage list --all
              espalierctl usage list --from 2026-11-01 --to 2026-12-01 --all --json
            """)
    static let view: View? = .usageOfTenant

    @OptionGroup var span: UsageSpan
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("usage", ["from": span.from?.text, "to": span.to?.text])
    }
}
