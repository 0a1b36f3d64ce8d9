import ArgumentParser

/// `espalierctl apis`: manages a tenant's own APIs.
struct APIs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apis",
        abstract: "Manages a tenant's own APIs: the audiences and scopes of access tokens.",
        subcommands: [CreateAPI.self, ListAPIs.self, ShowAPI.self, UpdateAPI.self, DeleteAPI.self])
}

extension View {
    static let api = View(
        .init("ID", "id"),
        .init("Name", "name"),
        .init("Audience", "audience"),
        .init("Scopes", "scopes"),
        .init("Access token (s)", "access_token_seconds").detail,
        .init("Created", "created_at"),
        .init("Updated", "updated_at").detail,
        sections: [
            .init(
                title: "Applications that may request access tokens (-: with all scopes)", path: "applications",
                view: View(.init("ID", "id"), .init("Scopes", "scopes").optional))
        ])
}
