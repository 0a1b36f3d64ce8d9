import ArgumentParser

/// `espalierctl initial-access-tokens`: manages the tokens with which software registers applications of a tenant.
struct InitialAccessTokens: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "initial-access-tokens",
        abstract: "Manages the tokens with which software registers applications itself.",
        subcommands: [
            IssueInitialAccessToken.self, ListInitialAccessTokens.self, ShowInitialAccessToken.self, RevokeInitialAccessToken.self,
        ])
}

extension View {
    static let initialAccessToken = View(
        .init("ID", "id"),
        .init("Name", "name"),
        .init("Ends with", "last_four"),
        .init("Kinds", "kinds"),
        .init("Requires PKCE", "requires_pkce").detail,
        .init("Used", "registrations"),
        .init("Limit", "max_registrations"),
        .init("Revoked", "revoked_at").optional,
        .init("Expires", "expires_at"),
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail,
        .init("Initial access token", "secret").detail.optional,
        expendable: ["Ends with", "Kinds", "Limit", "Used", "ID"])
}
