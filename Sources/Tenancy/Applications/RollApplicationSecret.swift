import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Web

extension ApplicationRoutes {
    /// Issues a new secret. The previous secret stays valid for the overlap, so that it can be replaced where it is used. Any older secret
    /// from an earlier roll ends at once, because at most two secrets are valid.
    @Sendable
    func rollApplicationSecret(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        try call.requireRecentSignIn(at: now())
        let application = try call.id("application", of: "application", as: Application.self)
        var fields = try await JSONFields(request, isOptional: true)
        let overlap = fields.integer("overlap_seconds", 0...2_592_000) ?? 86400
        try fields.finish()

        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        var random = SystemRandomNumberGenerator()
        let (id, secret) = (ID<ApplicationSecret>(at: now), ApplicationSecret.make(using: &random))
        try await call.database(pool).transaction { [keyring] db in
            let (locked, valid) = try await db.run(
                Application.lock(application, of: tenant), ApplicationSecret.valid(of: application, tenant: tenant, at: now))
            guard let found = try locked.first(Application.init) else { throw Problem.notFound("application") }
            guard found.kind.isConfidential
            else { throw Problem(.conflict, "An application of kind `\(found.kind.rawValue)` has no secret to roll.") }
            guard found.authMethod == .secret else {
                throw Problem(
                    .conflict,
                    "The application authenticates by `private_key_jwt` and has no secret. Set `token_endpoint_auth_method` to `client_secret_basic` first."
                )
            }
            let before = try valid.map(ApplicationSecret.init)
            let end = now.addingTimeInterval(TimeInterval(overlap))
            let previous = overlap > 0 ? before.first?.id : nil
            let (_, _, _, after) = try await db.run(
                "DELETE FROM application_secret WHERE tenant_id = \(tenant) AND application_id = \(application) AND id IS DISTINCT FROM \(previous)",
                // The overlap never extends the validity of a secret.
                """
                UPDATE application_secret SET expires_at = LEAST(expires_at, \(end))
                WHERE tenant_id = \(tenant) AND application_id = \(application)
                """,
                ApplicationSecret.insert(id, tenant: tenant, application: application, secret: secret, keyring: keyring, at: now),
                ApplicationSecret.valid(of: application, tenant: tenant, at: now))
            _ = try await db.run(
                AuditEvent.insert(
                    "rollApplicationSecret", of: application.description, owner: owner, by: origin,
                    before: ApplicationSecretsReply(secrets: before.map(ApplicationSecretReply.init)),
                    after: ApplicationSecretsReply(
                        secrets: try after.map { ApplicationSecretReply(try ApplicationSecret($0)) }),
                    at: now))
        }
        return try .resource(
            ApplicationSecretReply(id, showing: secret, at: now), updatedAt: now, status: .created,
            headers: [.location: "/v1/tenants/\(call.slug)/applications/\(application)/secrets/\(id)"])
    }
}
