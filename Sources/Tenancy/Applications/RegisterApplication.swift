import Access
import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Sealing
import Web

extension ApplicationRoutes {
    /// The limit per tenant, because every process stores all applications in memory.
    private static var mostApplications: Int { 500 }

    @Sendable
    func registerApplication(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        var fields = try await JSONFields(request)
        let kind = fields.choice("kind", Application.Kind.self, isRequired: true)
        let given = ApplicationFields(&fields, isNew: true, allowsPrivate: allowsPrivateWebhooks)
        try fields.finish()
        guard let kind, let name = given.name else { throw Problem(.invalid, "`kind` and `name` are required.") }

        let now = now()
        let application = given.applied(to: Application(ID(at: now), kind: kind, name: name, redirectURIs: [], at: now))
        guard application.misfits.isEmpty else { throw Problem.invalid(application.misfits) }
        if let contradiction = application.contradictions.first {
            throw Problem(.conflict, "\(contradiction.field): \(contradiction.detail)", fields: application.contradictions)
        }
        // Creates the signing key now, because the first login would otherwise wait for it.
        try await prepareSigning(application.signingAlgorithm, call.tenant)

        var random = SystemRandomNumberGenerator()
        let secret = application.authMethod == .secret ? ApplicationSecret.make(using: &random) : nil
        var statements = [application.insert(tenant: call.tenant)]
        if let secret {
            statements.append(
                ApplicationSecret.insert(
                    ID(at: now), tenant: call.tenant, application: application.id, secret: secret, keyring: keyring, at: now))
        }
        statements.append(
            try AuditEvent.insert(
                "registerApplication", of: application.id.description, owner: call.owner, by: call.origin,
                after: ApplicationReply(application), at: now))
        let (written, tenant) = (statements, call.tenant)
        try await call.database(pool).transaction { db in
            let count =
                try await db.run("SELECT count(*) AS n FROM application WHERE tenant_id = \(tenant)")
                .first { try $0.get("n", as: Int.self) } ?? 0
            guard count < Self.mostApplications
            else { throw Problem(.conflict, "A tenant can have at most \(Self.mostApplications) applications. Delete an unused one.") }
            _ = try await db.run(written)
        }
        return try .resource(
            ApplicationReply(application, showing: secret), updatedAt: application.updatedAt, status: .created,
            headers: [.location: "/v1/tenants/\(call.slug)/applications/\(application.id)"])
    }
}
