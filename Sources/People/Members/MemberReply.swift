import Access
import Foundation

/// A member as callers and the audit trail see it.
struct MemberReply: Encodable, Sendable {
    let id: ID<Membership>
    let object = "member"
    let person_id: ID<Person>
    let role: String
    let name, email: String
    let created_at, updated_at: Date

    init(_ member: Membership) {
        (id, person_id, role) = (member.id, member.person, member.role.description)
        (name, email) = (member.name, member.email)
        (created_at, updated_at) = (member.createdAt, member.updatedAt)
    }
}
