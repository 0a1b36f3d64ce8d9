import ArgumentParser

/// `espalierctl roles`: manages the roles of a tenant's own.
struct Roles: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the roles that a tenant defines.",
        discussion: """
            Every tenant also has owner, admin, developer, billing and viewer.
            """,
        subcommands: [CreateRole.self, ListRoles.self, UpdateRole.self, DeleteRole.self])
}

extension View {
    static let role = View(
        .init("ID", "id"),
        .init("Name", "name"),
        .init("Scopes", "scopes").wrapped,
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail)
}
