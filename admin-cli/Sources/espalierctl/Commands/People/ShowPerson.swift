import ArgumentParser

/// `espalierctl people show`: shows the account of a person.
struct ShowPerson: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows the account of a person with the numbers of factors and sessions, and its memberships.",
        discussion: """
            EXAMPLES
              espalierctl people show person_01jd8x3v6qf9wr2m5tzk7h4c0n
            """)
    static let view: View? = .person

    @Argument(help: ArgumentHelp("The person's ID.", valueName: "id"))
    var person: Reference

    @OptionGroup var options: ReadOptions

    func call(_ session: Session) throws -> Call {
        .get("platform/people/\(person.text)")
    }
}
