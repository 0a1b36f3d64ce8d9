import Access
import Foundation
import Users

/// The membership of a user in the organization that is the user's tenant. Its ID is `om_` and the 26 characters of the user.
struct WorkOSMembership: Encodable, Sendable {
    struct Role: Encodable, Sendable {
        let slug: String
    }

    private static let prefix = "om"

    let object = "organization_membership"
    let id: String
    let user_id: ID<User>
    let organization_id, organization_name: String
    let status = "active"
    let directory_managed = false
    let role = Role(slug: SessionToken.role)
    let roles = [Role(slug: SessionToken.role)]
    let custom_attributes: [String: String] = [:]
    let user: WorkOSUser
    let created_at, updated_at: Date

    init(_ user: WorkOSUser, in tenant: Tenant) {
        (id, user_id) = ("\(Self.prefix)_\(WorkOSID.digits(user.id))", user.id)
        (organization_id, organization_name) = (WorkOSID.text(tenant.id), tenant.name)
        (self.user, created_at, updated_at) = (user, user.created_at, user.updated_at)
    }

    /// The user whose membership has this ID.
    static func user(_ text: String) -> ID<User>? { WorkOSID.id(text, prefix) }
}
