import ArgumentParser

/// `espalierctl usage sink differences`: lists the differences between the sent logins and Stripe's meter.
struct ListUsageSinkDifferences: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "differences",
        abstract: "Lists the hours in which Stripe's count differs from the number of sent logins.",
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
