import ArgumentParser

/// `espalierctl people end-sessions`: ends all sessions of a person.
struct EndPersonSessions: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "end-sessions",
        abstract: "Ends all sessions of a person, in browsers and terminals.",
        discussion: """
            The person can sign in again.

            EXAMPLES
              espalierctl people end-sessions person_01jd8x3v6qf9wr2m5tzk7h4c0n
              espalierctl people end-sessions person_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --confirm=person_01jd8x3v6qf9wr2m5tzk7h4c0n --no-input
            """)
    static let view: View? = .person

    @Argument(help: ArgumentHelp("The person's ID.", valueName: "id"))
    var person: Reference

    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .post("platform/people/\(person.text)/sessions/end").destroying("ends all sessions of \(person.text)", word: person.text)
    }
}
