import Access
import Foundation

/// A tenant as an organization in WorkOS's interface.
struct WorkOSOrganization: Encodable, Sendable {
    let object = "organization"
    let id, name: String
    let domains: [String] = []
    let metadata: [String: String] = [:]
    /// The tenant's slug.
    let external_id: String
    @Nullable private(set) var stripe_customer_id: String?
    let created_at, updated_at: Date

    init(_ tenant: Tenant) {
        (id, name, external_id) = (WorkOSID.text(tenant.id), tenant.name, tenant.slug)
        (created_at, updated_at) = (tenant.createdAt, tenant.updatedAt)
        _stripe_customer_id = Nullable(wrappedValue: nil)
    }
}
