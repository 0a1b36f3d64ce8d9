import ArgumentParser

/// `espalierctl members`: manages the people of a tenant.
struct Members: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the people who act for a tenant.",
        discussion: """
            A person becomes a member by an invitation (espalierctl invitations create).
            """,
        subcommands: [ListMembers.self, UpdateMember.self, RemoveMember.self])
}

/// A role that every tenant has, or the ID of a role of the tenant's own.
struct RoleName: ExpressibleByArgument {
    static let builtIn = ["owner", "admin", "developer", "billing", "viewer"]
    static var allValueStrings: [String] { builtIn + ["role_…"] }

    static var defaultCompletionKind: CompletionKind { .list(builtIn) }

    let text: String

    init?(argument: String) {
        guard Self.builtIn.contains(where: argument.isSame) || argument.wholeASCIIMatch(of: #/role_[0-9a-z]+/#) != nil else { return nil }
        text = argument
    }
}

extension View {
    static let member = View(
        .init("ID", "id"),
        .init("Name", "name"),
        .init("Email", "email"),
        .init("Role", "role"),
        .init("Person", "person_id"),
        .init("API keys", "api_keys").optional.number.detail,
        .init("Created", "created_at"),
        .init("Updated", "updated_at").detail,
        expendable: ["Created", "Person", "ID"])
}
