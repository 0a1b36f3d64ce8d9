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

    func completed(_ answer: JSON, _ session: Session, _ client: APIClient) async throws(Failure) -> JSON {
        guard case .object(var members) = answer, let invitations = answer["data"]?.elements else { return answer }
        members["data"] = .array(
            invitations.map { invitation in
                // The end of the link does not matter after the acceptance, and would look like a time of it.
                guard case .object(var invitation) = invitation, invitation["state"] == "accepted" else { return invitation }
                invitation["expires_at"] = nil
                return .object(invitation)
            })
        let answer = JSON.object(members)
        return options.json ? answer : await RoleNames.named(in: answer, try session.path(owner), client)
    }
}
