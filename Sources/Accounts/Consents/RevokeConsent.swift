import Access
import Hummingbird
import Postgres
import Sessions
import Users
import Web

extension UserRoutes {
    /// Revokes a user's consent to an application, and ends the user's sessions of it. The next sign-in asks again.
    @Sendable
    func revokeConsent(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.usersWrite)
        try call.requireRecentSignIn(at: now())
        let (user, id) = (try call.id("user", of: "user", as: User.self), try call.id("consent", of: "consent", as: Consent.self))
        let now = now()
        let (tenant, origin) = (call.tenant, call.origin)
        try await call.database(pool).transaction { db in
            guard let consent = try await db.run(ConsentReply.lock(id, of: user, tenant)).first(ConsentReply.init)
            else { throw Problem.notFound("consent") }
            // A consent of this moment is revoked, too.
            let time = max(now, consent.given_at)
            _ = try await db.run(
                """
                UPDATE consent SET revoked_at = \(time), updated_at = \(time.asChange(after: consent.updated_at))
                WHERE tenant_id = \(tenant) AND id = \(id)
                """)
            try await Session.endAll(of: user, at: consent.application_id, tenant, because: .revoked, by: origin, at: now, in: db)
            _ = try await db.run(
                AuditEvent.insert("revokeConsent", of: id.description, owner: tenant.uuid, by: origin, before: consent, at: now))
        }
        return .noContent
    }
}
