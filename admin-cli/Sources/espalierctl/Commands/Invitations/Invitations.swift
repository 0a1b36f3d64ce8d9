import ArgumentParser

/// `espalierctl invitations`: manages the invitations of a tenant's members.
struct Invitations: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Invites people to a tenant, and withdraws invitations.",
        subcommands: [CreateInvitation.self, ListInvitations.self, DeleteInvitation.self])
}

extension View {
    static let invitation = View(
        .init("ID", "id"),
        .init("Email", "email"),
        .init("Role", "role"),
        .init("State", "state"),
        .init("Mailed", "is_mailed").detail.optional,
        .init("Invited by", "invited_by").detail,
        .init("Expires", "expires_at").optional,
        .init("Accepted", "accepted_at").optional.detail,
        .init("Created", "created_at").detail,
        .init("Link", "url").detail.optional,
        expendable: ["Expires", "ID"])

    static let linkNote = "Only its holder may see the link. It works once, and it is not shown again."
}
