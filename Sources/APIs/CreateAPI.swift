import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Web

extension APIRoutes {
    @Sendable
    func createAPI(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        var fields = try await JSONFields(request)
        let issuers = addresses(call.owner).hosts.map { HostName.origin(of: $0, like: publicURL) }
        let audience = fields.text("audience", 1...500, isRequired: true) {
            Audience.refusal(of: $0, publicURL: publicURL, issuers: issuers)
        }
        let given = APIFields(&fields, isNew: true)
        try fields.finish()
        guard let audience, let name = given.name else { throw Problem(.invalid, "`name` and `audience` are required.") }

        let now = now()
        let api = given.applied(
            to: API(id: ID(at: now), name: name, audience: audience, scopes: [], createdAt: now, updatedAt: now))
        guard api.contradictions.isEmpty else { throw Problem.invalid(api.contradictions) }

        let tenant = call.tenant
        let event = try AuditEvent.insert(
            "createAPI", of: api.id.description, owner: call.owner, by: call.origin, after: APIReply(api), at: now)
        try await refusingConflicts {
            try await call.database(pool).transaction { db in
                let (_, existing) = try await db.run(
                    // A tenant creates APIs one after another. Otherwise two requests could both create the last one.
                    "SELECT pg_advisory_xact_lock(1634756969, hashtext(\(tenant)::text))",
                    "SELECT count(*) AS n FROM api WHERE tenant_id = \(tenant)")
                guard try existing[0].get("n", as: Int.self) < API.limit
                else { throw Problem(.conflict, "A tenant can have at most \(API.limit) APIs. Delete an unused one.") }
                _ = try await db.run(
                    [api.insert(tenant: tenant)] + api.permissions.map { $0.insert(api: api.id, tenant: tenant) } + [event])
            }
        }
        return try .resource(
            APIReply(api), updatedAt: now, status: .created, headers: [.location: "/v1/tenants/\(call.slug)/apis/\(api.id)"])
    }
}
