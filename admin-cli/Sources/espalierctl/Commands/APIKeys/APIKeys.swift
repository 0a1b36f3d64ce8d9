import ArgumentParser

/// `espalierctl api-keys`: manages the API keys of a tenant or the platform.
struct APIKeys: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api-keys",
        abstract: "Issues, rolls and revokes API keys.",
        subcommands: [IssueAPIKey.self, ListAPIKeys.self, ShowAPIKey.self, RollAPIKey.self, RevokeAPIKey.self])
}

extension View {
    static let apiKey = View(
        .init("ID", "id"),
        .init("Name", "name"),
        .init("Ends with", "last_four"),
        .init("Scopes", "scopes"),
        .init("Revoked", "revoked_at").optional,
        .init("Expires", "expires_at").optional,
        .init("Last used", "last_used_at").optional,
        .init("Rolled to", "rolled_to").detail.optional,
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail,
        .init("API key", "secret").detail.optional,
        expendable: ["Last used", "Scopes", "Ends with", "ID"])
}
