import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension APIRoutes {
    /// Changes an API with a JSON merge patch (RFC 7396). Absent members do not change. Lists are replaced as a whole.
    ///
    /// New tokens use the change within 1 s. Existing tokens stay valid until they expire.
    @Sendable
    func updateAPI(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        let id = try call.id("api", of: "API", as: API.self)
        var fields = try await JSONFields(request)
        let changes = APIFields(&fields, isNew: false)
        if fields.isNull("name") { fields.refuse("name", "It cannot be removed.") }
        if fields.has("audience") {
            _ = fields.value("audience")
            fields.refuse("audience", "It cannot be changed, because resource servers compare it. Create another API.")
        }
        try fields.finish()

        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        let api = try await refusingConflicts {
            try await call.database(pool).transaction { db in
                let (locked, permissions) = try await db.run(API.lock(id, of: tenant), API.Permission.all(of: id, tenant))
                guard let current = try API.all(locked, permissions: permissions).first else { throw Problem.notFound("API") }
                try request.requireMatch(EntityTag(current.updatedAt))
                var changed = changes.applied(to: current)
                // A request without an effective change leaves no audit event.
                guard APIReply(changed) != APIReply(current) else { return current }
                changed.updatedAt = now.asChange(after: current.updatedAt)
                let refused = changed.contradictions
                guard refused.isEmpty else {
                    throw Problem(.conflict, refused.map { "\($0.field): \($0.detail)" }.joined(separator: " "), fields: refused)
                }
                var statements = [changed.update(tenant: tenant)]
                if changed.permissions != current.permissions {
                    statements.append(API.Permission.deleteAll(of: id, tenant))
                    statements += changed.permissions.map { $0.insert(api: id, tenant: tenant) }
                }
                statements.append(
                    try AuditEvent.insert(
                        "updateAPI", of: id.description, owner: owner, by: origin, before: APIReply(current), after: APIReply(changed),
                        at: now))
                _ = try await db.run(statements)
                return changed
            }
        }
        return try .resource(APIReply(api), updatedAt: api.updatedAt)
    }
}
