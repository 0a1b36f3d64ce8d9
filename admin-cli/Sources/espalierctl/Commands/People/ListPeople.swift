import ArgumentParser

/// `espalierctl people list`: lists the accounts of people.
struct ListPeople: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the accounts of people, newest first.",
        discussion: """
            The list has accounts without a membership too.

            EXAMPLES
              espalierctl people list
              espalierctl people list --email grace@example.com --jq '.data[].id'
            """)
    static let view: View? = .person

    @Option(help: ArgumentHelp("Shows only the person who signs in with this address.", valueName: "address"))
    var email: String?

    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("platform/people", ["email": email])
    }
}
