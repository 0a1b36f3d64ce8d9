import Foundation
import Hummingbird
import Postgres
import Web

extension APIKeyRoutes {
    /// Revokes a key permanently. Every process rejects the key within 1 s. Revoking a revoked key changes nothing.
    ///
    /// A key can revoke itself, so the holder of a leaked key needs no other key. An operator who revokes the platform's last key gets a
    /// new key from `espalier seed`.
    func revokeAPIKey(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.apiKeysWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("apiKey", of: "API key", as: APIKey.self)
        var fields = try await JSONFields(request, isOptional: true)
        try fields.finish()
        let key = try await revoke(id, call)
        return try .resource(key, updatedAt: key.updated_at)
    }

    package func revoke(_ id: ID<APIKey>, _ call: some ActingContext) async throws -> ShownAPIKey {
        let now = now()
        return try await call.database(pool).transaction { db in
            guard let old = try await db.run(ShownAPIKey.lock(id, owner: call.owner)).first(ShownAPIKey.init)
            else { throw Problem.notFound("API key") }
            guard old.revoked_at == nil else { return old }
            let revoked = try await db.run(
                """
                UPDATE api_key SET revoked_at = \(now), updated_at = \(now.asChange(after: old.updated_at))
                WHERE tenant_id = \(call.owner) AND id = \(id)
                RETURNING id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
                """
            ).first(ShownAPIKey.init)
            guard let revoked else { throw Problem.notFound("API key") }
            _ = try await db.run(
                AuditEvent.insert(
                    call.apiKeyAction("revoke"), of: id.description, owner: call.owner, by: call.origin, before: old, after: revoked,
                    at: now))
            return revoked
        }
    }
}
