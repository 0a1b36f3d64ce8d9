import Foundation

/// A tenant as callers of the API see it, and the audit trail.
struct TenantReply: Encodable {
    let id: ID<Tenant>
    let object = "tenant"
    let slug, name: String
    let plan: Tenant.Plan
    let status: Tenant.Status
    let issuer: String
    let connection_id: ID<Connection>?
    let purge_after: Date?
    let created_at, updated_at: Date

    /// - Parameter publicURL: where browsers and Apple reach this server, without a slash at its end.
    init(_ tenant: Tenant, publicURL: String) {
        (id, slug, name, plan, status) = (tenant.id, tenant.slug, tenant.name, tenant.plan, tenant.status)
        issuer = "\(publicURL)/t/\(tenant.slug)"
        (connection_id, purge_after) = (tenant.connection, tenant.purgeAfter)
        (created_at, updated_at) = (tenant.createdAt, tenant.updatedAt)
    }
}
