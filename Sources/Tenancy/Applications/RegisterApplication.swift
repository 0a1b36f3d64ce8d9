package import Access
package import Foundation
import HTTPTypes
import Hummingbird
package import Postgres
package import Sealing
import Web

extension ApplicationRoutes {
    /// The limit per tenant, because every process stores all applications in memory.
    private static var mostApplications: Int { 500 }

    @Sendable
    func registerApplication(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        try call.requireRecentSignIn(at: now())
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
        let secret = try await register(application, as: "registerApplication", of: call.tenant, by: call.origin, at: now)
        return try .resource(
            ApplicationReply(application, showing: secret), updatedAt: application.updatedAt, status: .created,
            headers: [.location: "/v1/tenants/\(call.slug)/applications/\(application.id)"])
    }

    /// Writes a new application, and its secret if it authenticates with one.
    /// - Parameters:
    ///   - action: the action in the audit trail.
    ///   - admit: runs first in the transaction, and throws to prevent the registration.
    ///   - related: statements of other targets about the application.
    /// - Returns: the secret.
    package func register(
        _ application: Application, as action: String, of tenant: ID<Tenant>, by origin: AuditEvent.Origin,
        admit: @Sendable (Transaction) async throws -> Void = { _ in }, with related: [SQL] = [], at now: Date
    ) async throws -> Secret? {
        // Creates the signing key now, because the first login would otherwise wait for it.
        try await prepareSigning(application.signingAlgorithm, tenant)
        var random = SystemRandomNumberGenerator()
        let secret = application.authMethod == .secret ? ApplicationSecret.make(using: &random) : nil
        var statements = [application.insert(tenant: tenant)]
        if let secret {
            statements.append(
                ApplicationSecret.insert(
                    ID(at: now), tenant: tenant, application: application.id, secret: secret, keyring: keyring, at: now))
        }
        statements += related
        statements.append(
            try AuditEvent.insert(
                action, of: application.id.description, owner: tenant.uuid, by: origin, after: ApplicationReply(application), at: now))
        let written = statements
        try await OwnerDatabase(pool, tenant: tenant).transaction { db in
            try await admit(db)
            let (_, existing) = try await db.run(
                // A tenant registers applications one after another. Otherwise two requests could both register the last one.
                "SELECT pg_advisory_xact_lock(1634758764, hashtext(\(tenant)::text))",
                "SELECT count(*) AS n FROM application WHERE tenant_id = \(tenant)")
            guard try existing[0].get("n", as: Int.self) < Self.mostApplications
            else { throw Problem(.conflict, "A tenant can have at most \(Self.mostApplications) applications. Delete an unused one.") }
            _ = try await db.run(written)
        }
        return secret
    }
}
