import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension TenantRoutes {
    /// Resumes a tenant. Users can sign in again, and sessions that have not expired since then continue.
    @Sendable
    func resumeTenant(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsWrite)
        try call.requireOperator("resume a tenant")
        let now = now()
        let tenant = try await call.database(pool).transaction { db in
            guard let before = try await db.run(Tenant.lock(call.tenant)).first(Tenant.init) else { throw Problem.notFound("tenant") }
            guard before.status == .suspended
            else { throw Problem(.conflict, "This tenant is \(before.status.rawValue). Only a suspended tenant can be resumed.") }
            let changed = try await db.run(
                """
                UPDATE tenant SET status = \(Tenant.Status.active), updated_at = \(now.asChange(after: before.updatedAt))
                WHERE id = \(call.tenant)
                RETURNING id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
                    signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
                    account_linking, allows_support, purge_after, created_at, updated_at
                """)
            let tenant = try Tenant(changed[0])
            _ = try await db.run(
                AuditEvent.insert(
                    "resumeTenant", of: call.tenant.description, owner: call.owner, by: call.origin,
                    before: reply(before), after: reply(tenant), at: now))
            return tenant
        }
        return try .resource(reply(tenant), updatedAt: tenant.updatedAt)
    }
}
