import ArgumentParser

/// `espalierctl operators create`: invites an operator.
struct CreateOperator: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Invites an operator. The link is shown once.",
        discussion: """
            The link is valid for 24 hours. Its holder becomes an operator with every scope, so you need all of them. \
            `espalierctl invitations list --platform` lists such invitations.

            EXAMPLES
              espalierctl operators create katherine@example.com
            """)
    static let view: View? = .invitation

    @Argument(help: "The address of the person.")
    var email: String

    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .post("platform/operators", ["email": JSON(email)])
    }

    func note(_ invitation: JSON) -> String? { View.linkNote }
}
