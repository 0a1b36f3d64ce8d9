import ArgumentParser

/// `espalierctl people`: helps people with their accounts.
struct People: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Helps people with their accounts: finds them, ends their sessions, removes lost factors.",
        discussion: """
            Requires an operator. The account of a person belongs to the platform. `espalierctl members` manages its memberships.
            """,
        subcommands: [ListPeople.self, ShowPerson.self, EndPersonSessions.self, ResetPersonFactors.self, DeletePerson.self])
}

extension View {
    static let person = View(
        .init("ID", "id"),
        .init("Name", "name"),
        .init("Email", "email"),
        .init("Email proved", "email_proved_at").detail.optional,
        .init("Password", "has_password").detail,
        .init("Authenticator", "has_authenticator"),
        .init("Recovery codes", "recovery_codes").number.detail,
        .init("Passkeys", "passkeys").number,
        .init("Sessions", "sessions").number,
        .init("Created", "created_at").detail,
        .init("Updated", "updated_at").detail,
        sections: [
            .init(
                title: "Memberships", path: "memberships",
                view: View(.init("Tenant ID", "tenant_id").optional, .init("Role", "role"), .init("Member ID", "id")))
        ],
        expendable: ["Sessions", "Passkeys", "Authenticator", "ID"])
}
