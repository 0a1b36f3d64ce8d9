import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Web

extension APIKeyRoutes {
    /// Issues a key that replaces another key. The new key has the same name, scopes and expiry, but another secret. The old key stays
    /// valid until the end of the overlap or its own expiry, whichever is earlier. A key can roll itself.
    func rollAPIKey(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.apiKeysWrite)
        try call.requireRecentSignIn(at: now())
        let id = try call.id("apiKey", of: "API key", as: APIKey.self)
        let now = now()
        var fields = try await JSONFields(request, isOptional: true)
        let overlap = fields.integer("overlap_seconds", 0...2_592_000) ?? 86400
        try fields.finish()

        var random = SystemRandomNumberGenerator()
        let secret = APIKey.makeSecret(live: publicURL.hasPrefix("https:"), using: &random)
        let issuer = call.caller.actor.person
        let key = try await call.database(pool).transaction { db in
            guard let old = try await db.run(ShownAPIKey.lock(id, owner: call.owner)).first(ShownAPIKey.init)
            else { throw Problem.notFound("API key") }
            try call.requireOwn(old.scopes)
            guard old.revoked_at == nil else { throw Problem(.conflict, "This API key is revoked. Issue a new one.") }
            guard old.rolled_to == nil else { throw Problem(.conflict, "This API key is already rolled. Roll its successor instead.") }
            if let end = old.expires_at, end <= now { throw Problem(.conflict, "This API key has expired. Issue a new one.") }

            try await APIKey.requireRoom(for: call.owner, at: now, in: db)
            let new = ShownAPIKey(
                ID(at: now), name: old.name, secret: secret, scopes: old.scopes, expiresAt: old.expires_at, issuedBy: issuer,
                at: now)
            let end = now.addingTimeInterval(Double(overlap))
            let (_, rolled) = try await db.run(
                APIKey.insert(
                    new.id, owner: call.owner, name: new.name, secret: secret, scopes: new.scopes, expiresAt: new.expires_at,
                    issuedBy: issuer, keyring: keyring, at: now),
                """
                UPDATE api_key SET expires_at = LEAST(expires_at, \(end)), rolled_to = \(new.id),
                    updated_at = \(now.asChange(after: old.updated_at))
                WHERE tenant_id = \(call.owner) AND id = \(id)
                RETURNING id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
                """)
            _ = try await db.run(
                AuditEvent.insert(
                    call.apiKeyAction("roll"), of: id.description, owner: call.owner, by: call.origin, before: old,
                    after: rolled.first(ShownAPIKey.init), at: now))
            return new
        }
        return try .resource(
            key.revealing(secret), updatedAt: key.updated_at, status: .created, headers: [.location: request.location(of: key.id)])
    }
}
