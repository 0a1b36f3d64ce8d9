package import Access
import Delivery
import Foundation
import Hummingbird
import Postgres
import Web

extension SessionRoutes {
    /// Ends a session now. The token endpoint refuses its refresh token, and userinfo and introspection refuse its access tokens. A session
    /// that is already over does not change.
    @Sendable
    func revokeSession(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.sessionsWrite)
        let id = try call.id("session", of: "session", as: Session.self)
        let session = try await revoke(id, call) { try request.requireMatch(EntityTag($0.updated_at)) }
        return try .resource(session, updatedAt: session.updated_at)
    }

    /// - Parameter admit: throws to prevent the end of the session.
    package func revoke(
        _ id: ID<Session>, _ call: TenantContext, admit: @Sendable (SessionReply) throws -> Void = { _ in }
    ) async throws -> SessionReply {
        let now = now()
        let (tenant, origin) = (call.tenant, call.origin)
        return try await call.database(pool).transaction { db in
            // The row is locked first and read afterwards, so a concurrent refresh is included.
            let (_, found) = try await db.run(
                "SELECT FROM session WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE", SessionReply.find(id, of: tenant))
            guard let session = try found.first({ try SessionReply($0, at: now) }) else { throw Problem.notFound("session") }
            try admit(session)
            guard session.status == .active || session.mayHaveTokens(at: now) else { return session }
            let revoked = session.revoked(at: now.asChange(after: session.updated_at))
            _ = try await db.run([
                """
                UPDATE session SET ended_at = \(revoked.updated_at), ended_reason = \(Session.EndReason.revoked)
                WHERE tenant_id = \(tenant) AND id = \(id)
                """,
                try WebhookEvent.emit(
                    .sessionRevoked, data: RevokedSessions(because: .revoked, [id], of: session.user_id), owner: tenant.uuid, by: origin,
                    at: now),
                try AuditEvent.insert(
                    "revokeSession", of: id.description, owner: tenant.uuid, by: origin, before: session.audited, after: revoked.audited,
                    at: now),
            ])
            return revoked
        }
    }
}
