import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension TenantRoutes {
    /// As it was when it was deleted, suspended or not.
    @Sendable
    func restoreTenant(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsWrite)
        try call.requireOperator("restore a tenant")
        let now = now()
        let tenant = try await call.database(pool).transaction { db in
            guard let before = try await db.run(Tenant.lock(call.tenant)).first(Tenant.init) else { throw Problem.notFound("tenant") }
            guard before.status == .deleted
            else { throw Problem(.conflict, "This tenant is \(before.status.rawValue): only a deleted one can be restored.") }
            guard let end = before.purgeAfter, now < end
            else { throw Problem(.conflict, "The time in which this tenant could be restored is over.") }
            let changed = try await db.run(
                """
                UPDATE tenant SET status = status_before_deletion, status_before_deletion = NULL, purge_after = NULL,
                    updated_at = \(now.asChange(after: before.updatedAt))
                WHERE id = \(call.tenant)
                RETURNING id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
                    signing_key_days, purge_after, created_at, updated_at
                """)
            let tenant = try Tenant(changed[0])
            _ = try await db.run(
                AuditEvent.insert(
                    "restoreTenant", of: call.tenant.description, owner: call.owner, by: call.origin,
                    before: TenantReply(before, publicURL: publicURL), after: TenantReply(tenant, publicURL: publicURL), at: now))
            return tenant
        }
        return try .resource(TenantReply(tenant, publicURL: publicURL), updatedAt: tenant.updatedAt)
    }
}
