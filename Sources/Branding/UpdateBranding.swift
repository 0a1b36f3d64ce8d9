import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

extension BrandingRoutes {
    /// Changes the branding with a JSON merge patch (RFC 7396). Absent members do not change, and null resets.
    @Sendable
    func updateBranding(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.tenantsWrite)
        var fields = try await JSONFields(request)
        let changes = BrandingFields(&fields)
        if fields.has("logo") {
            _ = fields.value("logo")
            fields.refuse("logo", "Send the image itself to `PUT …/branding/logo`.")
        }
        try fields.finish()

        let now = now()
        let branding = try await call.database(pool).transaction { db in
            let (_, found, tenants) = try await db.run(
                Branding.lock(call.tenant), Branding.find(of: call.tenant), Tenant.find(call.tenant))
            guard let tenant = try tenants.first(Tenant.init) else { throw Problem.notFound("tenant") }
            let current = try Branding(found, of: tenant)
            try request.requireMatch(EntityTag(current.updatedAt))
            var changed = changes.applied(to: current)
            // A request without an effective change leaves no audit event.
            guard try JSONWriter.encode(reply(changed, call)) != JSONWriter.encode(reply(current, call)) else { return current }
            changed.updatedAt = now.asChange(after: current.updatedAt)
            _ = try await db.run([
                changed.save(of: call.tenant),
                try AuditEvent.insert(
                    "updateBranding", of: call.tenant.description, owner: call.owner, by: call.origin, before: reply(current, call),
                    after: reply(changed, call), at: now),
            ])
            return changed
        }
        return try .resource(reply(branding, call), updatedAt: branding.updatedAt)
    }
}
