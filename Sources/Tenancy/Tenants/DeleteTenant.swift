import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension TenantRoutes {
    /// Deletes a tenant. Its sign-ins fail, and its own API keys are invalid. It can be restored for 30 days. Then `PurgeTenants` removes
    /// all its data.
    @Sendable
    func deleteTenant(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsWrite)
        try call.requireOperator("delete a tenant")
        try call.requireRecentSignIn(at: now())
        guard try Query(request, "confirm").text("confirm") == call.slug
        else { throw Problem.invalid(.init("confirm", "Repeat the slug: `confirm=\(call.slug)`.")) }
        let now = now()
        let tenant = try await call.database(pool).transaction { db in
            guard let before = try await db.run(Tenant.lock(call.tenant)).first(Tenant.init) else { throw Problem.notFound("tenant") }
            try request.requireMatch(EntityTag(before.updatedAt))
            guard before.status == .active || before.status == .suspended
            else { throw Problem(.conflict, "This tenant is already \(before.status.rawValue).") }
            let changed = try await db.run(
                """
                UPDATE tenant SET status = \(Tenant.Status.deleted), status_before_deletion = status,
                    purge_after = \(now.addingTimeInterval(Tenant.grace)), updated_at = \(now.asChange(after: before.updatedAt))
                WHERE id = \(call.tenant)
                RETURNING id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
                    signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
                    account_linking, allows_support, purge_after, created_at, updated_at
                """)
            let tenant = try Tenant(changed[0])
            _ = try await db.run(
                AuditEvent.insert(
                    "deleteTenant", of: call.tenant.description, owner: call.owner, by: call.origin,
                    before: reply(before), after: reply(tenant), at: now))
            return tenant
        }
        return try .resource(reply(tenant), updatedAt: tenant.updatedAt)
    }
}
