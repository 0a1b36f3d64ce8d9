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
    /// Only in the response that creates the invitation.
    var url: String?

    init(_ invitation: Invitation, at now: Date) {
        (id, email, role) = (invitation.id, invitation.email, invitation.role.description)
        (state, invited_by) = (invitation.state(at: now), invitation.invitedBy)
        (expires_at, accepted_at) = (invitation.expiresAt, invitation.acceptedAt)
        (created_at, updated_at) = (invitation.createdAt, invitation.updatedAt)
    }

    /// - Parameter link: the link of the new invitation.
    init(_ invitation: Invitation, showing link: String, at now: Date) {
        self.init(invitation, at: now)
        url = link
    }
}
