import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension InitialAccessTokenRoutes {
    /// Revokes an initial access token permanently. Applications that were registered with it stay. Revoking a revoked token changes
    /// nothing.
    @Sendable
    func revokeInitialAccessToken(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        let id = try call.id("initialAccessToken", of: "initial access token", as: InitialAccessToken.self)
        var fields = try await JSONFields(request, isOptional: true)
        try fields.finish()
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        let token = try await call.database(pool).transaction { db in
            guard let old = try await db.run(InitialAccessToken.lock(id, of: tenant)).first(InitialAccessToken.init)
            else { throw Problem.notFound("initial access token") }
            guard old.revokedAt == nil else { return old }
            var revoked = old
            (revoked.revokedAt, revoked.updatedAt) = (now, now.asChange(after: old.updatedAt))
            _ = try await db.run([
                """
                UPDATE initial_access_token SET revoked_at = \(now), updated_at = \(revoked.updatedAt)
                WHERE tenant_id = \(tenant) AND id = \(id)
                """,
                try AuditEvent.insert(
                    "revokeInitialAccessToken", of: id.description, owner: owner, by: origin, before: InitialAccessTokenReply(old),
                    after: InitialAccessTokenReply(revoked), at: now),
            ])
            return revoked
        }
        return try .resource(InitialAccessTokenReply(token), updatedAt: token.updatedAt)
    }
}
