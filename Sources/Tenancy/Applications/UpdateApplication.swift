package import Access
import Encoding
import Foundation
import Hummingbird
package import Postgres
import Web

extension ApplicationRoutes {
    /// Changes an application with a JSON merge patch (RFC 7396). Absent members do not change. Null restores the default if there is one.
    ///
    /// New logins use the change within 1 s. An existing session retains its end time, but the new `idle_seconds` applies to it at once.
    @Sendable
    func updateApplication(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("application", of: "application", as: Application.self)
        var fields = try await JSONFields(request)
        let changes = ApplicationFields(&fields, isNew: false, allowsPrivate: allowsPrivateWebhooks)
        if fields.has("kind") {
            _ = fields.choice("kind", Application.Kind.self)
            fields.refuse("kind", "It cannot be changed. Register another application.")
        }
        try fields.finish()
        if case .set(let algorithm) = changes.signingAlgorithm { try await prepareSigning(algorithm, call.tenant) }

        let application = try await change(id, call, admit: { try request.requireMatch(EntityTag($0.updatedAt)) }) {
            changes.applied(to: $0)
        }
        return try .resource(ApplicationReply(application), updatedAt: application.updatedAt)
    }

    /// - Parameters:
    ///   - admit: throws to prevent the change.
    ///   - apply: the application after the change.
    package func change(
        _ id: ID<Application>, _ call: TenantContext, admit: @Sendable (Application) throws -> Void = { _ in },
        _ apply: @Sendable (Application) throws -> Application
    ) async throws -> Application {
        try await change(id, as: "updateApplication", of: call.tenant, by: call.origin, admit: admit, apply)
    }

    /// - Parameters:
    ///   - action: the action in the audit trail.
    ///   - related: statements of other targets about the application, which run even if the application itself does not change. They are
    ///     made after the application is locked. An error prevents the change.
    package func change(
        _ id: ID<Application>, as action: String, of tenant: ID<Tenant>, by origin: AuditEvent.Origin,
        admit: @Sendable (Application) throws -> Void = { _ in }, with related: @Sendable (Transaction) async throws -> [SQL] = { _ in [] },
        _ apply: @Sendable (Application) throws -> Application
    ) async throws -> Application {
        let now = now()
        return try await OwnerDatabase(pool, tenant: tenant).transaction { db in
            guard let current = try await db.run(Application.lock(id, of: tenant)).first(Application.init)
            else { throw Problem.notFound("application") }
            try admit(current)
            let related = try await related(db)
            var changed = try apply(current)
            // A request without an effective change leaves no audit event.
            guard ApplicationReply(changed) != ApplicationReply(current) else {
                if !related.isEmpty { _ = try await db.run(related) }
                return current
            }
            changed.updatedAt = now.asChange(after: current.updatedAt)
            let refused = changed.misfits + changed.contradictions
            guard refused.isEmpty else {
                throw Problem(.conflict, refused.map { "\($0.field): \($0.detail)" }.joined(separator: " "), fields: refused)
            }
            // A secret never returns, not even if the application gives up its keys.
            if changed.authMethod == .privateKey, current.authMethod != .privateKey {
                _ = try await db.run(ApplicationSecret.deleteAll(of: id, tenant: tenant))
            }
            let event = try AuditEvent.insert(
                action, of: id.description, owner: tenant.uuid, by: origin, before: ApplicationReply(current),
                after: ApplicationReply(changed), at: now)
            _ = try await db.run([changed.update(tenant: tenant)] + related + [event])
            return changed
        }
    }
}
