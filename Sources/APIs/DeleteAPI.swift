import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension APIRoutes {
    /// Deletes an API. It gets no new tokens. Existing tokens stay valid until they expire, and introspection rejects them at once.
    @Sendable
    func deleteAPI(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("api", of: "API", as: API.self)
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        try await call.database(pool).transaction { db in
            let (locked, permissions) = try await db.run(API.lock(id, of: tenant), API.Permission.all(of: id, tenant))
            guard let api = try API.all(locked, permissions: permissions).first else { throw Problem.notFound("API") }
            try request.requireMatch(EntityTag(api.updatedAt))
            _ = try await db.run([
                "DELETE FROM api WHERE tenant_id = \(tenant) AND id = \(id)",
                try AuditEvent.insert("deleteAPI", of: id.description, owner: owner, by: origin, before: APIReply(api), at: now),
            ])
        }
        return .noContent
    }
}
