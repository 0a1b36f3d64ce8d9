import Access
import Hummingbird
import Postgres
import Web

extension TenantRoutes {
    /// Lists tenants. Purged tenants are included only on request, because they are no longer customers.
    @Sendable
    func listTenants(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.tenantsRead)
        let query = try Query(request, "status", "plan", "slug", "limit", "after", "before")
        let status = try query.choice("status", Tenant.Status.self)
        let plan = try query.choice("plan", Tenant.Plan.self)
        let slug = try query.text("slug")
        if let slug, !Tenant.isSlug(slug) { throw Problem.invalid(.init("slug", Tenant.slugRule)) }
        let page = try query.page
        let tenants = try await call.platformDatabase(pool).run(
            """
            SELECT id, slug, name, plan, status, connection_id, session_seconds, idle_seconds, profile_retention_days,
                signing_key_days, single_sign_on, browser_session_seconds, browser_idle_seconds, sign_in_page,
                account_linking, allows_support, purge_after, created_at, updated_at FROM tenant
            WHERE id < \(page.upper) AND id > \(page.lower)
                AND CASE WHEN \(status) IS NULL THEN status <> 'purged' ELSE status = \(status) END
                AND (\(plan) IS NULL OR plan = \(plan)) AND (\(slug) IS NULL OR slug = \(slug))
            ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
            """
        ).map { try Tenant($0) }
        return try .json(Page(tenants, of: page, id: \.id.uuid) { reply($0) })
    }
}
