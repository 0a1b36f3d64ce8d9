import ArgumentParser

/// `espalierctl users`: manages a tenant's users.
struct Users: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists, shows and deletes a tenant's users, and manages their identities and consents.",
        subcommands: [ListUsers.self, ShowUser.self, DeleteUser.self, UserIdentities.self, UserConsents.self, UserDeletions.self])
}

extension View {
    static let user = View(
        .init("ID", "id"),
        .init("Given name", "given_name").optional,
        .init("Family name", "family_name").optional,
        .init("Email", "email").optional,
        .init("Verified", "email_verified").detail,
        .init("Private relay", "is_private_email"),
        .init("Email disabled", "email_disabled").detail,
        .init("Status", "status"),
        .init("Deleted", "deleted_at").detail.optional,
        .init("Erased after", "erase_after").detail.optional,
        .init("Created", "created_at"),
        .init("Updated", "updated_at").detail,
        sections: [
            .init(title: "Identities", path: "identities", view: .identity),
            .init(title: "Active sessions", path: "sessions", view: .session),
        ],
        expendable: ["Private relay", "Created", "ID"])

    static let identity = View(
        .init("ID", "id"),
        .init("Team ID", "team_id"),
        .init("Subject", "subject"),
        .init("Connection", "connection_id").optional,
        .init("Consent ended", "consent_ended_at").optional,
        .init("Created", "created_at"),
        .init("Last login", "last_login_at").optional)
}
