import Access
import Foundation
import Hummingbird
import Postgres
import Web

extension ApplicationRoutes {
    /// Revokes one of two secrets at once: the old one after its replacement everywhere, or a leaked new one.
    @Sendable
    func revokeApplicationSecret(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        try call.requireRecentSignIn(at: now())
        let application = try call.id("application", of: "application", as: Application.self)
        let id = try call.id("secret", of: "application secret", as: ApplicationSecret.self)
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        try await call.database(pool).transaction { db in
            let (locked, valid) = try await db.run(
                Application.lock(application, of: tenant), ApplicationSecret.valid(of: application, tenant: tenant, at: now))
            guard !locked.isEmpty else { throw Problem.notFound("application") }
            let before = try valid.map(ApplicationSecret.init)
            guard before.contains(where: { $0.id == id }) else { throw Problem.notFound("application secret") }
            guard before.count > 1 else {
                throw Problem(
                    .conflict, "This is the application's only valid secret. Roll it instead, with `overlap_seconds` 0 to end it at once.")
            }
            _ = try await db.run([
                "DELETE FROM application_secret WHERE tenant_id = \(tenant) AND id = \(id)",
                try AuditEvent.insert(
                    "revokeApplicationSecret", of: application.description, owner: owner, by: origin,
                    before: ApplicationSecretsReply(secrets: before.map(ApplicationSecretReply.init)),
                    after: ApplicationSecretsReply(secrets: before.filter { $0.id != id }.map(ApplicationSecretReply.init)), at: now),
            ])
        }
        return .noContent
    }
}
