import ArgumentParser

/// `espalierctl operators remove`: ends the membership of an operator.
struct RemoveOperator: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Ends the membership of an operator. The account of the person remains.",
        discussion: """
            EXAMPLES
              espalierctl operators remove member_01jd8x3v6qf9wr2m5tzk7h4c0n
              espalierctl operators remove member_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --confirm=platform --no-input
            """)

    @Argument(help: ArgumentHelp("The operator's ID.", valueName: "id"))
    var member: Reference

    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("platform/operators/\(member.text)").ifUnchanged(nil, match.ifMatch).destroying(
            "ends the membership of the operator \(member.text)", word: "platform")
    }

    func note(_ answer: JSON) -> String? {
        "Ended the membership \(member.text)."
    }
}
