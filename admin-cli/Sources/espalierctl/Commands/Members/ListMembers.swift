import ArgumentParser

/// `espalierctl members list`: lists a tenant's members.
struct ListMembers: CallCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists a tenant's members, newest first.",
        discussion: """
            EXAMPLES
              espalierctl members list --tenant acme
            """)
    static let view: View? = .member

    @OptionGroup var tenant: TenantOption
    @OptionGroup var options: ListOptions

    func call(_ session: Session) throws -> Call {
        .get("\(try session.path(tenant))/members")
    }

    func completed(_ answer: JSON, _ session: Session, _ client: APIClient) async throws(Failure) -> JSON {
        options.json ? answer : await RoleNames.named(in: answer, try session.path(tenant), client)
    }
}
