import ArgumentParser

/// `espalierctl sessions`: manages the sessions of a tenant's users.
struct Sessions: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists and revokes a tenant's sessions.",
        subcommands: [ListSessions.self, ShowSession.self, RevokeSession.self, RevokeAllSessions.self])
}

extension View {
    static let session = View(
        .init("ID", "id"),
        .init("User", "user_id"),
        .init("Application", "application_id"),
        .init("Status", "status"),
        .init("Scope", "scope").detail.optional,
        .init("Address", "address").optional,
        .init("User agent", "user_agent").detail.optional,
        .init("End reason", "ended_reason").detail.optional,
        .init("Ended", "ended_at").detail.optional,
        .init("Created", "created_at"),
        .init("Last used", "last_used_at").optional,
        .init("Expires", "expires_at").detail,
        expendable: ["Address", "Created", "Last used"])

    static let revocation = View(.init("Revoked", "revoked"))
}
