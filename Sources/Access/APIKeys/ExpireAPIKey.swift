package import Foundation
import Postgres
import Web

extension APIKeyRoutes {
    /// Sets when a key expires, or an earlier time. A time in the past expires it now, and nil stands for never. The end of a key is never
    /// postponed, because the server's database role cannot do that.
    /// - Parameter action: the `operationId` for the audit trail.
    /// - Throws: `Problem` 409 for a later end than the one that the key has.
    package func expire(_ id: ID<APIKey>, at time: Date?, as action: String, _ call: some ActingContext) async throws -> ShownAPIKey {
        let now = now()
        let end = time.map { max($0, now) }
        return try await call.database(pool).transaction { db in
            guard let old = try await db.run(ShownAPIKey.lock(id, owner: call.owner)).first(ShownAPIKey.init)
            else { throw Problem.notFound("API key") }
            guard old.revoked_at == nil else { throw Problem(.conflict, "This API key is revoked. Issue a new one.") }
            guard old.expires_at.map({ now < $0 }) ?? true else { throw Problem(.conflict, "This API key has expired. Issue a new one.") }
            guard (end ?? .distantFuture) <= (old.expires_at ?? .distantFuture)
            else { throw Problem(.conflict, "The end of an API key cannot be postponed. Roll the key, or issue a new one.") }
            guard end != old.expires_at else { return old }
            let changed = try await db.run(
                """
                UPDATE api_key SET expires_at = \(end), updated_at = \(now.asChange(after: old.updated_at))
                WHERE tenant_id = \(call.owner) AND id = \(id)
                RETURNING id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
                """
            ).first(ShownAPIKey.init)
            guard let changed else { throw Problem.notFound("API key") }
            _ = try await db.run(
                AuditEvent.insert(action, of: id.description, owner: call.owner, by: call.origin, before: old, after: changed, at: now))
            return changed
        }
    }
}
