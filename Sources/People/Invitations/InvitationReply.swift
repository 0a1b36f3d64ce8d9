import Access
import Foundation

/// An invitation as callers and the audit trail see it.
struct InvitationReply: Encodable, Sendable {
    let id: ID<Invitation>
    let object = "invitation"
    let email: String
    let role: String
    let state: Invitation.State
    /// The actor that created it.
    let invited_by: String
    let expires_at: Date
    let accepted_at: Date?
    let created_at, updated_at: Date
    /// Whether a mail has the link.
    let is_mailed: Bool
    /// Only in the response that creates the invitation, and only without a mail.
    var url: String?

    init(_ invitation: Invitation, at now: Date) {
        (id, email, role) = (invitation.id, invitation.email, invitation.role.description)
        (state, invited_by) = (invitation.state(at: now), invitation.invitedBy)
        (expires_at, accepted_at) = (invitation.expiresAt, invitation.acceptedAt)
        (created_at, updated_at) = (invitation.createdAt, invitation.updatedAt)
        is_mailed = invitation.mail != nil
    }

    /// - Parameter issued: a new invitation. A link that is mailed is not shown, so that it proves the mailbox.
    init(_ issued: Invitation.Issued, at now: Date) {
        self.init(issued.invitation, at: now)
        url = issued.invitation.mail == nil ? issued.link : nil
    }
}
