import ArgumentParser

/// `espalierctl operators`: manages the operators who are people.
struct Operators: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the operators of the platform who are people.",
        discussion: """
            Requires an operator. `espalier operators create` of the server program creates the first one.
            """,
        subcommands: [CreateOperator.self, ListOperators.self, RemoveOperator.self])
}
