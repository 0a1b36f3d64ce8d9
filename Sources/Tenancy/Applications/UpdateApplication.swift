package import Access
import Encoding
import Foundation
import Hummingbird
import Postgres
import Web

extension ApplicationRoutes {
    /// Changes an application with a JSON merge patch (RFC 7396). Absent members do not change. Null restores the default if there is one.
    ///
    /// New logins use the change within 1 s. An existing session retains its end time, but the new `idle_seconds` applies to it at once.
    @Sendable
    func updateApplication(_ request: Request, _ call: TenantContext) async throws -> Response {
        try call.require(.applicationsWrite)
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
        let now = now()
        let (tenant, owner, origin) = (call.tenant, call.owner, call.origin)
        return try await call.database(pool).transaction { db in
            guard let current = try await db.run(Application.lock(id, of: tenant)).first(Application.init)
            else { throw Problem.notFound("application") }
            try admit(current)
            var changed = try apply(current)
            // A request without an effective change leaves no audit event.
            guard ApplicationReply(changed) != ApplicationReply(current) else { return current }
            changed.updatedAt = now.asChange(after: current.updatedAt)
            let refused = changed.misfits + changed.contradictions
            guard refused.isEmpty else {
                throw Problem(.conflict, refused.map { "\($0.field): \($0.detail)" }.joined(separator: " "), fields: refused)
            }
            // A secret never returns, not even if the application gives up its keys.
            if changed.authMethod == .privateKey, current.authMethod != .privateKey {
                _ = try await db.run(ApplicationSecret.deleteAll(of: id, tenant: tenant))
            }
            _ = try await db.run([
                changed.update(tenant: tenant),
                try AuditEvent.insert(
                    "updateApplication", of: id.description, owner: owner, by: origin, before: ApplicationReply(current),
                    after: ApplicationReply(changed), at: now),
            ])
            return changed
        }
    }
}
