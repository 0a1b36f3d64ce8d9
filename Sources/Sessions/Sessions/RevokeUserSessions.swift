import Access
import Hummingbird
import Postgres
import Users
import Web

extension SessionRoutes {
    /// Signs a user out everywhere. All sessions end, and unredeemed codes get no tokens.
    @Sendable
    func revokeUserSessions(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsWrite)
        let id = try call.id("user", of: "user", as: User.self)
        let now = now()
        let (tenant, origin) = (call.tenant, call.origin)
        let revocation = try await call.database(pool).transaction { db in
            guard try await !db.run(User.find(id, of: tenant)).isEmpty else { throw Problem.notFound("user") }
            let revocation = Revocation(
                revoked: try await Session.endAll(of: id, tenant, because: .revoked, by: origin, at: now, in: db).count)
            // The event is written even without a session, because the user may have had a code.
            _ = try await db.run(
                AuditEvent.insert("revokeUserSessions", of: id.description, owner: tenant.uuid, by: origin, after: revocation, at: now))
            return revocation
        }
        return try .json(revocation)
    }
}
