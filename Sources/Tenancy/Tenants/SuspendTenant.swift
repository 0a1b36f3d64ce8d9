import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension TenantRoutes {
    /// Suspends a tenant. Until it is resumed, sign-ins and token refreshes fail. Its API keys stay valid, and its data remains.
    @Sendable
    func suspendTenant(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsWrite)
        try call.requireOperator("suspend a tenant")
        try call.requireRecentSignIn(at: now())
        let now = now()
        let tenant = try await call.database(pool).transaction { db in
            guard let before = try await db.run(Tenant.lock(call.tenant)).first(Tenant.init) else { throw Problem.notFound("tenant") }
            guard before.status == .active
            else { throw Problem(.conflict, "This tenant is \(before.status.rawValue). Only an active tenant can be suspended.") }
            let changed = try await db.run(
                """
                UPDATE tenant SET status = \(Tenant.Status.suspended), updated_at = \(now.asChange(after: before.updatedAt))
                WHERE id = \(call.tenant)
                RETURNING id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
                    signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
                    account_linking, allows_support, purge_after, created_at, updated_at
                """)
            let tenant = try Tenant(changed[0])
            _ = try await db.run(
                AuditEvent.insert(
                    "suspendTenant", of: call.tenant.description, owner: call.owner, by: call.origin,
                    before: reply(before), after: reply(tenant), at: now))
            return tenant
        }
        return try .resource(reply(tenant), updatedAt: tenant.updatedAt)
    }
}
