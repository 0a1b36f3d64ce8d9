import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension RoleRoutes {
    /// Deletes a role that no member and no invitation has.
    @Sendable
    func deleteRole(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.membersWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("role", of: "role", as: CustomRole.self)
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        try await refusingConflicts {
            try await call.database(pool).transaction { db in
                let (_, found) = try await db.run(Membership.lockAll(of: owner), CustomRole.lock(id, of: owner))
                guard let role = try found.first(CustomRole.init) else { throw Problem.notFound("role") }
                try request.requireMatch(EntityTag(role.updatedAt))
                try await call.requireNoOwner(in: db)
                _ = try await db.run([
                    "DELETE FROM custom_role WHERE tenant_id = \(tenant) AND id = \(id)",
                    try AuditEvent.insert(
                        "deleteRole", of: id.description, owner: owner, by: origin, before: RoleReply(role), at: now),
                ])
            }
        }
        return .noContent
    }
}
