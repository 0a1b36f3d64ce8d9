import Access
import Foundation

/// A role of a tenant as callers and the audit trail see it.
struct RoleReply: Encodable, Sendable {
    let id: ID<CustomRole>
    let object = "role"
    let name: String
    let scopes: [String]
    let created_at, updated_at: Date

    init(_ role: CustomRole) {
        (id, name, scopes) = (role.id, role.name, role.scopes)
        (created_at, updated_at) = (role.createdAt, role.updatedAt)
    }
}
