import Access
import Foundation
import Hummingbird
import People
import Postgres
import Web

extension TenantRoutes {
    /// Changes a tenant's name and settings. An operator can also change the plan.
    ///
    /// A plan without own credentials removes nothing from a tenant that has a connection. Its users can still sign in, and only changes of
    /// the connection are refused.
    @Sendable
    func updateTenant(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsWrite)
        try call.requireRecentSignIn(at: now())
        var fields = try await JSONFields(request)
        let name = fields.text("name")
        let plan = fields.choice("plan", Tenant.Plan.self)
        for field in ["name", "plan"] where fields.isNull(field) { fields.refuse(field, "It cannot be removed.") }
        // This read finds invalid members. The code below applies the members to the stored settings.
        let given = fields
        var settings = Tenant.Settings()
        settings.read(&fields)
        try fields.finish()
        if plan != nil { try call.requireOperator("change a tenant's plan") }

        let now = now()
        let tenant = try await call.database(pool).transaction { db in
            guard let before = try await db.run(Tenant.lock(call.tenant)).first(Tenant.init) else { throw Problem.notFound("tenant") }
            try request.requireMatch(EntityTag(before.updatedAt))
            guard before.status == .active || before.status == .suspended
            else {
                throw Problem(.conflict, "This tenant is \(before.status.rawValue). Only an active or suspended tenant can be changed.")
            }
            var (settings, fields) = (before.settings, given)
            settings.read(&fields)
            // A request without an effective change leaves no audit event.
            guard
                !(name ?? before.name).utf8.elementsEqual(before.name.utf8) || plan ?? before.plan != before.plan
                    || settings != before.settings
            else { return before }
            if settings.allowsSupport && !before.settings.allowsSupport { try requireOwnConsent(call) }
            let changed = try await db.run(
                """
                UPDATE tenant SET name = \(name ?? before.name), plan = \(plan ?? before.plan),
                    session_seconds = \(settings.sessionSeconds), idle_seconds = \(settings.idleSeconds),
                    profile_retention_days = \(settings.profileRetentionDays), signing_key_days = \(settings.signingKeyDays),
                    single_sign_on = \(settings.singleSignOn), browser_session_seconds = \(settings.browserSessionSeconds),
                    browser_idle_seconds = \(settings.browserIdleSeconds), sign_in_page = \(settings.signInPage),
                    account_linking = \(settings.accountLinking), allows_support = \(settings.allowsSupport),
                    updated_at = \(now.asChange(after: before.updatedAt))
                WHERE id = \(call.tenant)
                RETURNING id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
                    signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
                    account_linking, allows_support, purge_after, created_at, updated_at
                """)
            let tenant = try Tenant(changed[0])
            if !settings.allowsSupport && before.settings.allowsSupport {
                try await SupportAccess.endAll(of: call.owner, by: call.origin, in: db, at: now)
            }
            _ = try await db.run(
                AuditEvent.insert(
                    "updateTenant", of: call.tenant.description, owner: call.owner, by: call.origin,
                    before: reply(before), after: reply(tenant), at: now))
            return tenant
        }
        return try .resource(reply(tenant), updatedAt: tenant.updatedAt)
    }

    /// Checks that the caller is not an operator who wants support, because the tenant consents to it.
    /// - Throws: `Problem` 403.
    private func requireOwnConsent(_ call: TenantContext) throws {
        guard call.caller.isOperator, call.caller.actor.person != nil else { return }
        throw Problem(.insufficientScope, "The tenant does not allow support. Only its own callers can set `allows_support` again.")
    }
}
