import Access
import Foundation
import Hummingbird
import Pages
import People
import Postgres
import Web

extension SSORoutes {
    /// Deletes the provider of a tenant. Its members sign in with their other factors, and their accounts at the provider are no longer
    /// linked (trigger `sso_issuer_lost`). The domains remain.
    @Sendable
    func deleteSSO(_ request: Request, _ call: TenantContext) async throws -> Response {
        try requireOwner(call)
        try call.requireRecentSignIn(at: now())
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        let mail = try await mail({ .providerDeleted(actor: $0) }, of: call)
        try await call.database(pool).transaction { db in
            guard let connection = try await db.run(SSOConnection.lock(of: tenant)).first(SSOConnection.init)
            else { throw Problem.notFound("SSO provider") }
            try request.requireMatch(EntityTag(connection.updatedAt))
            let notice = try await notices.insertions(mail, of: owner, in: db, at: now)
            _ = try await db.run(
                [SSOConnection.delete(of: tenant)] + notice + [
                    try AuditEvent.insert(
                        "deleteSSO", of: connection.id.description, owner: owner, by: origin,
                        before: SSOReply(connection, publicURL: publicURL), at: now)
                ])
        }
        return .noContent
    }
}
