import Foundation
import Hummingbird
import Postgres
import Tenancy
import Web

/// What the audit trail keeps of a user that is gone: nothing that says who it was.
private struct Gone: Encodable {
    let id: ID<User>
    let object = "user"
    let team_ids: [String]
    let sessions: Int
    let created_at, updated_at: Date
}

private struct Deleted: Encodable {
    let user_id: ID<User>
}

extension Login {
    /// Deletes a user with its profile, its identities and its sessions. What remains are usage events, which hold its id alone.
    /// Tokens and codes that are still about get nothing any more; who signs in again becomes a new user.
    @Sendable
    func deleteUser(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersWrite)
        let id = try call.id("user", of: "user", as: User.self)
        let now = now()
        let (tenant, origin) = (call.tenant, call.origin)
        try await call.database(pool).transaction { db in
            // The identities first, as a sign-in takes them: else each could wait for the other.
            let found = try await db.run([
                "SELECT team_id FROM identity WHERE tenant_id = \(tenant) AND user_id = \(id) ORDER BY team_id, apple_sub FOR UPDATE",
                UserReply.lock(id, of: tenant),
            ])
            guard let user = try found[1].first(UserReply.init) else { throw Problem.notFound("user") }
            try request.requireMatch(EntityTag(user.updated_at))
            let ended = try await db.run(
                """
                WITH own AS (SELECT id FROM session WHERE tenant_id = \(tenant) AND user_id = \(id) ORDER BY id FOR UPDATE)
                DELETE FROM session s USING own WHERE s.tenant_id = \(tenant) AND s.id = own.id
                RETURNING ended_at IS NULL AND expires_at > \(now) AS lasted
                """
            ).count(where: { try $0.get("lasted") })
            let gone = Gone(
                id: id, team_ids: try found[0].map { try $0.get("team_id") }, sessions: ended, created_at: user.created_at,
                updated_at: user.updated_at)
            var statements: [SQL] = [
                // Its identities go with it.
                "DELETE FROM tenant_user WHERE tenant_id = \(tenant) AND id = \(id)",
                try WebhookEvent.emit(.userDeleted, data: Deleted(user_id: id), owner: tenant.uuid, at: now),
            ]
            if ended > 0 {
                statements.append(
                    try WebhookEvent.emit(
                        .sessionRevoked, data: RevokedSessions(because: .userDeleted, count: ended, of: id), owner: tenant.uuid, at: now))
            }
            // Last, as everywhere: who changes a webhook holds it while it waits for its turn in the audit trail.
            statements.append(
                try AuditEvent.insert("deleteUser", of: id.description, owner: tenant.uuid, by: origin, before: gone, at: now))
            _ = try await db.run(statements)
        }
        return .noContent
    }
}
