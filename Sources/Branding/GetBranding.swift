import Access
import Hummingbird
import Postgres
import Tenancy
import Web

extension BrandingRoutes {
    /// Returns the tenant's branding. A tenant that has set none has an empty one.
    @Sendable
    func getBranding(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsRead)
        _ = try Query(request)
        let (found, tenants) = try await call.database(pool).run(Branding.find(of: call.tenant), Tenant.find(call.tenant))
        guard let tenant = try tenants.first(Tenant.init) else { throw Problem.notFound("tenant") }
        let branding = try Branding(found, of: tenant)
        return try .resource(reply(branding, call), updatedAt: branding.updatedAt)
    }
}
