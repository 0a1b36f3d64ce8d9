import Access
import Foundation

/// A member as callers and the audit trail see it.
struct MemberReply: Encodable, Sendable {
    let id: ID<Membership>
    let object = "member"
    let person_id: ID<Person>
    let role: String
    let name, email: String
    /// The number of valid API keys that the person issued for the owner. Nil in the audit trail.
    let api_keys: Int?
    let created_at, updated_at: Date

    init(_ member: Membership, apiKeys: Int? = nil) {
        (id, person_id, role) = (member.id, member.person, member.role.description)
        (name, email, api_keys) = (member.name, member.email, apiKeys)
        (created_at, updated_at) = (member.createdAt, member.updatedAt)
    }
}
