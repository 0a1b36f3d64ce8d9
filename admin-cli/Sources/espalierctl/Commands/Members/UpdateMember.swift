import ArgumentParser

/// `espalierctl members update`: gives a member another role.
struct UpdateMember: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Gives a member another role. All servers use it within 1 second.",
        discussion: """
            You need all scopes of the earlier and of the new role. The last owner keeps the role, unless an operator's API key changes it.

            EXAMPLES
              espalierctl members update member_01jd8x3v6qf9wr2m5tzk7h4c0n \\
                --tenant acme --role admin
            """)
    static let view: View? = .member

    @Argument(help: ArgumentHelp("The member's ID.", valueName: "id"))
    var member: Reference

    @Option(help: "The new role.")
    var role: RoleName

    @OptionGroup var tenant: TenantOption
    @OptionGroup var match: MatchOption
    @OptionGroup var options: ChangeOptions

    func call(_ session: Session) throws -> Call {
        .patch("\(try session.path(tenant))/members/\(member.text)", ["role": JSON(role.text)]).ifUnchanged(nil, match.ifMatch)
    }

    func completed(_ answer: JSON, _ session: Session, _ client: APIClient) async throws(Failure) -> JSON {
        options.json ? answer : await RoleNames.named(in: answer, try session.path(tenant), client)
    }
}
