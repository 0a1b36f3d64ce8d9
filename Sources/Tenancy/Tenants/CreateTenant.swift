import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension TenantRoutes {
    /// Creates an empty tenant. It uses the shared connection until it has its own.
    @Sendable
    func createTenant(_ request: Request, _ call: PlatformContext) async throws -> Response {
        try call.require(.tenantsWrite)
        var fields = try await JSONFields(request)
        let slug = fields.text("slug", 1...63, isRequired: true) { Tenant.isSlug($0) ? nil : Tenant.slugRule }
        let name = fields.text("name", isRequired: true)
        let plan = fields.choice("plan", Tenant.Plan.self) ?? .free
        var settings = Tenant.Settings()
        settings.read(&fields)
        try fields.finish()
        guard let slug, let name else { throw Problem(.invalid, "`slug` and `name` are required.") }

        let now = now()
        let id = ID<Tenant>(at: now)
        let insertion = Tenant.insert(id, slug: slug, name: name, plan: plan, settings: settings, at: now)
        do {
            let tenant = try await OwnerDatabase(pool, tenant: id).transaction { db in
                let created = try await db.run(insertion)
                let tenant = try Tenant(created[0])
                _ = try await db.run(
                    AuditEvent.insert(
                        "createTenant", of: id.description, owner: id.uuid, by: call.origin,
                        after: reply(tenant), at: now))
                return tenant
            }
            return try .resource(
                reply(tenant), updatedAt: tenant.updatedAt, status: .created,
                headers: [.location: "/v1/tenants/\(id)"])
        } catch let error as DatabaseError where error.constraint == "tenant_slug_key" {
            throw Problem(.alreadyExists, "A tenant with the slug `\(slug)` exists or existed. Choose another one. Slugs are never reused.")
        }
    }
}
