import ArgumentParser

/// `espalierctl usage sink differences`: what was sent to Stripe and what its meter has counted.
struct ListUsageSinkDifferences: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "differences",
        abstract: "Lists the hours in which Stripe has counted other logins than it was sent.",
        discussion: """
            EXAMPLES
              espalierctl usage sink differences --all
            """)
    static let view: View? = .usageSinkDifference

    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("platform/usage-sink/differences")
    }
}
