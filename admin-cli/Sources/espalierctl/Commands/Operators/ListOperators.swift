import ArgumentParser

/// `espalierctl operators list`: lists the operators who are people.
struct ListOperators: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the operators who are people, newest first.",
        discussion: """
            EXAMPLES
              espalierctl operators list
            """)
    static let view: View? = .member

    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("platform/operators")
    }
}
