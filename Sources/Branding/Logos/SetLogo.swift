import Access
import Foundation
import Hummingbird
import NIOCore
import Postgres
import Tenancy
import Web

extension BrandingRoutes {
    /// Sets the logo. The body is the image itself. Only the parts that are safe in every browser are stored.
    @Sendable
    func setLogo(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsWrite)
        guard let type = request.mediaType.flatMap(Logo.MediaType.init)
        else { throw Problem(.unsupportedMediaType, "Send a PNG or SVG image with `Content-Type: image/png` or `image/svg+xml`.") }
        let body = try await request.body.whole(upTo: Logo.largest)
        let logo: Logo
        do {
            logo = try await checks.run { try Logo(Array(body.readableBytesView), as: type) }
        } catch let refusal as Logo.Refusal {
            throw Problem(.invalid, refusal.detail)
        } catch is WorkThread.Full { throw Problem(.unavailable, "Too many logos wait to be checked. Retry in a few seconds.") }

        let now = now()
        let branding = try await call.database(pool).transaction { db in
            let (_, found, tenants) = try await db.run(
                Branding.lock(call.tenant), Branding.find(of: call.tenant), Tenant.find(call.tenant))
            guard let tenant = try tenants.first(Tenant.init) else { throw Problem.notFound("tenant") }
            let current = try Branding(found, of: tenant)
            try request.requireMatch(EntityTag(current.updatedAt))
            // The same image again is not a change.
            guard current.logo?.digest != logo.digest else { return current }
            var changed = current
            (changed.logo, changed.updatedAt) = (logo.facts, now.asChange(after: current.updatedAt))
            _ = try await db.run([
                changed.save(of: call.tenant), logo.save(of: call.tenant),
                try AuditEvent.insert(
                    "setLogo", of: call.tenant.description, owner: call.owner, by: call.origin, before: reply(current, call),
                    after: reply(changed, call), at: now),
            ])
            return changed
        }
        return try .resource(reply(branding, call), updatedAt: branding.updatedAt)
    }
}
