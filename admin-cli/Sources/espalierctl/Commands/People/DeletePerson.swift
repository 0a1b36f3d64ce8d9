import ArgumentParser

/// `espalierctl people delete`: deletes the account of a person.
struct DeletePerson: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes the account of a person with its sessions, factors and memberships.",
        discussion: """
            You need the scopes of each membership of the person. Only an API key of an operator deletes the last owner of a \
            tenant. The API keys that the person issued stay valid. To end only one membership, use espalierctl members remove.

            EXAMPLES
              espalierctl people delete person_01jd8x3v6qf9wr2m5tzk7h4c0n
              espalierctl people delete person_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --confirm=person_01jd8x3v6qf9wr2m5tzk7h4c0n --no-input
            """)

    @Argument(help: ArgumentHelp("The person's ID.", valueName: "id"))
    var person: Reference

    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("platform/people/\(person.text)").destroying(
            "deletes the account \(person.text) with its sessions, factors and memberships", word: person.text)
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(person.text)."
    }
}
