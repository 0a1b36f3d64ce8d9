package import Foundation
import HTTPTypes
import Hummingbird
import Postgres
import Web

extension APIKeyRoutes {
    /// Issues an API key to the owner. Only this response contains the secret.
    func issueAPIKey(_ request: Request, _ call: some ActingContext) async throws -> Response {
        try call.require(.apiKeysWrite)
        try call.requireRecentSignIn(at: now())
        let now = now()
        var fields = try await JSONFields(request)
        let name = fields.text("name", isRequired: true)
        let scopes = fields.choices("scopes", APIKey.Scope.self, isRequired: true)
        let expiresAt = fields.time("expires_at", after: now)
        try fields.finish()
        guard let name, let scopes else { throw Problem(.invalid, "`name` and `scopes` are required.") }
        let key = try await issue(name, scopes: scopes.map(\.rawValue), expiresAt: expiresAt, call)
        return try .resource(key, updatedAt: key.updated_at, status: .created, headers: [.location: request.location(of: key.id)])
    }

    /// - Returns: the key with its secret.
    package func issue(_ name: String, scopes: [String], expiresAt: Date?, _ call: some ActingContext) async throws -> ShownAPIKey {
        let now = now()
        try call.requireOwn(scopes)
        var random = SystemRandomNumberGenerator()
        let secret = APIKey.makeSecret(live: publicURL.hasPrefix("https:"), using: &random)
        let id = ID<APIKey>(at: now)
        let issuer = call.caller.actor.person
        let key = ShownAPIKey(id, name: name, secret: secret, scopes: scopes, expiresAt: expiresAt, issuedBy: issuer, at: now)
        try await call.database(pool).transaction { [keyring] db in
            try await APIKey.requireRoom(for: call.owner, at: now, in: db)
            _ = try await db.run([
                APIKey.insert(
                    id, owner: call.owner, name: name, secret: secret, scopes: key.scopes, expiresAt: expiresAt,
                    issuedBy: issuer, keyring: keyring, at: now),
                try AuditEvent.insert(
                    call.apiKeyAction("issue"), of: id.description, owner: call.owner, by: call.origin, after: key, at: now),
            ])
        }
        return key.revealing(secret)
    }
}
