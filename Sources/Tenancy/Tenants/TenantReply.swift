import Access
import Foundation

/// A tenant as callers and the audit trail see it.
struct TenantReply: Encodable {
    let id: ID<Tenant>
    let object = "tenant"
    let slug, name: String
    let plan: Tenant.Plan
    let status: Tenant.Status
    let issuer: String
    let connection_id: ID<Connection>?
    let session_seconds, idle_seconds: Int?
    let profile_retention_days, signing_key_days: Int
    let purge_after: Date?
    let created_at, updated_at: Date

    /// - Parameter publicURL: the URL of this server for browsers and Apple, without a slash at its end.
    init(_ tenant: Tenant, publicURL: String) {
        (id, slug, name, plan, status) = (tenant.id, tenant.slug, tenant.name, tenant.plan, tenant.status)
        issuer = "\(publicURL)/t/\(tenant.slug)"
        (connection_id, purge_after) = (tenant.connection, tenant.purgeAfter)
        (session_seconds, idle_seconds) = (tenant.settings.sessionSeconds, tenant.settings.idleSeconds)
        (profile_retention_days, signing_key_days) = (tenant.settings.profileRetentionDays, tenant.settings.signingKeyDays)
        (created_at, updated_at) = (tenant.createdAt, tenant.updatedAt)
    }
}
