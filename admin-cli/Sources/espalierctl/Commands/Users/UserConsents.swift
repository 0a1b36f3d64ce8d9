import ArgumentParser

/// `espalierctl users consents`: manages a user's consents to applications of third parties.
struct UserConsents: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consents",
        abstract: "Lists and revokes a user's consents to applications of third parties.",
        subcommands: [ListConsents.self, RevokeConsent.self])
}

extension View {
    static let consent = View(
        .init("ID", "id"),
        .init("User", "user_id").detail,
        .init("Application", "application_id"),
        .init("Scope", "scope"),
        .init("APIs", "api_ids").detail,
        .init("Given", "given_at"),
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail)
}
