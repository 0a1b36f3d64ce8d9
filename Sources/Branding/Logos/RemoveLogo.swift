import Access
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension BrandingRoutes {
    /// Removes the logo. The pages show the name instead. Browsers and proxies may keep the image at its old URL.
    @Sendable
    func removeLogo(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsWrite)
        try call.requireRecentSignIn(at: now())
        let now = now()
        try await call.database(pool).transaction { db in
            let (_, found, tenants) = try await db.run(
                Branding.lock(call.tenant), Branding.find(of: call.tenant), Tenant.find(call.tenant))
            guard let tenant = try tenants.first(Tenant.init) else { throw Problem.notFound("tenant") }
            let current = try Branding(found, of: tenant)
            guard current.logo != nil else { throw Problem.notFound("logo") }
            try request.requireMatch(EntityTag(current.updatedAt))
            var changed = current
            (changed.logo, changed.updatedAt) = (nil, now.asChange(after: current.updatedAt))
            _ = try await db.run([
                changed.save(of: call.tenant), Logo.remove(of: call.tenant),
                try AuditEvent.insert(
                    "removeLogo", of: call.tenant.description, owner: call.owner, by: call.origin, before: reply(current, call),
                    after: reply(changed, call), at: now),
            ])
        }
        return .noContent
    }
}
