import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension SSORoutes {
    /// Deletes the provider of a tenant. Its members sign in with their other factors, and their accounts at the provider are no longer
    /// linked (trigger `sso_issuer_lost`). The domains remain.
    @Sendable
    func deleteSSO(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.connectionsWrite)
        try call.requireRecentSignIn(at: now())
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        try await call.database(pool).transaction { db in
            guard let connection = try await db.run(SSOConnection.lock(of: tenant)).first(SSOConnection.init)
            else { throw Problem.notFound("SSO provider") }
            try request.requireMatch(EntityTag(connection.updatedAt))
            _ = try await db.run([
                SSOConnection.delete(of: tenant),
                try AuditEvent.insert(
                    "deleteSSO", of: connection.id.description, owner: owner, by: origin,
                    before: SSOReply(connection, publicURL: publicURL), at: now),
            ])
        }
        return .noContent
    }
}
