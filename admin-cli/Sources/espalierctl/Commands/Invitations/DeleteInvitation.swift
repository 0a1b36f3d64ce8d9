import ArgumentParser

/// `espalierctl invitations delete`: withdraws an invitation.
struct DeleteInvitation: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Withdraws an invitation. Its link no longer works.",
        discussion: """
            EXAMPLES
              espalierctl invitations delete invitation_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme
            """)

    @Argument(help: ArgumentHelp("The invitation's ID.", valueName: "id"))
    var invitation: Reference

    @OptionGroup var owner: OwnerOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: DestroyOptions

    func call(_ session: Session) throws -> Call {
        .delete("\(try session.path(owner))/invitations/\(invitation.text)").ifUnchanged(nil, match.ifMatch).destroying(
            "withdraws the invitation \(invitation.text)", word: try session.word(owner))
    }

    func note(_ answer: JSON) -> String? {
        "Deleted \(invitation.text)."
    }
}
