import ArgumentParser

/// `espalierctl invitations list`: lists invitations.
struct ListInvitations: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the invitations of a tenant, or those of operators, newest first.",
        discussion: """
            The list has accepted and expired invitations too. It does not have the links.

            EXAMPLES
              espalierctl invitations list --tenant acme
              espalierctl invitations list --platform
            """)
    static let view: View? = .invitation

    @OptionGroup var owner: OwnerOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(owner))/invitations")
    }
}
