import ArgumentParser

/// `espalierctl people reset-factors`: removes the lost factors of a person.
struct ResetPersonFactors: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset-factors",
        abstract: "Removes the authenticator app, the passkeys and the recovery codes of a person, and ends all sessions.",
        discussion: """
            The password stays, and the next sign-in with it sets up a new factor. Until then, only the password protects the account, so \
            check who asks first. You need the scopes of each membership of the person. With a mail server, the person gets a mail. \
            `espalierctl people list --email ADDRESS` shows the ID.

            EXAMPLES
              espalierctl people reset-factors person_01jd8x3v6qf9wr2m5tzk7h4c0n
              espalierctl people reset-factors person_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --confirm=person_01jd8x3v6qf9wr2m5tzk7h4c0n --no-input
            """)
    static let view: View? = .person

    @Argument(help: ArgumentHelp("The person's ID.", valueName: "id"))
    var person: Reference

    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .post("platform/people/\(person.text)/reset").destroying(
            "removes the authenticator app, the passkeys and the recovery codes of \(person.text), and ends all sessions",
            word: person.text)
    }
}
