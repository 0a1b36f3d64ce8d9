import Encoding
package import Foundation
import Hummingbird
package import Postgres
import Sealing
package import Web

/// An API key as callers see it, without its secret. Only the response that issues the key adds the secret.
package struct ShownAPIKey: Encodable, Sendable {
    package let id: ID<APIKey>
    let object = "api_key"
    package let name, last_four: String
    package let scopes: [String]
    package let expires_at, revoked_at, last_used_at: Date?
    /// The key that replaced this key.
    let rolled_to: ID<APIKey>?
    /// The person who issued the key and saw its secret. Nil for a key that another key or a command issued.
    let issued_by: ID<Person>?
    package let created_at, updated_at: Date
    /// Only in the response to the caller that requested the key, never in the audit trail.
    package var secret: String?

    package init(_ row: Row) throws {
        id = try row.get("id")
        name = try row.get("name")
        last_four = try row.get("last_four")
        scopes = try row.get("scopes")
        expires_at = try row.get("expires_at")
        revoked_at = try row.get("revoked_at")
        last_used_at = try row.get("last_used_at")
        rolled_to = try row.get("rolled_to")
        issued_by = try row.get("issued_by")
        created_at = try row.get("created_at")
        updated_at = try row.get("updated_at")
    }

    init(_ id: ID<APIKey>, name: String, secret: Secret, scopes: [String], expiresAt: Date?, issuedBy: ID<Person>?, at now: Date) {
        (self.id, self.name, self.scopes, expires_at, issued_by) = (id, name, scopes, expiresAt, issuedBy)
        last_four = String(secret.reveal().suffix(4))
        (revoked_at, last_used_at, rolled_to) = (nil, nil, nil)
        (created_at, updated_at) = (now, now)
    }

    /// Adds the secret for the response that shows it.
    func revealing(_ secret: Secret) -> ShownAPIKey {
        var shown = self
        shown.secret = secret.reveal()
        return shown
    }

    package static func find(_ id: ID<APIKey>, owner: UUID) -> SQL {
        """
        SELECT id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
        FROM api_key WHERE tenant_id = \(owner) AND id = \(id)
        """
    }

    /// Like `find`, and locks the row until the end of the transaction.
    static func lock(_ id: ID<APIKey>, owner: UUID) -> SQL {
        """
        SELECT id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
        FROM api_key WHERE tenant_id = \(owner) AND id = \(id) FOR UPDATE
        """
    }

    package static func page(_ page: PageRequest, owner: UUID) -> SQL {
        """
        SELECT id, name, last_four, scopes, expires_at, revoked_at, last_used_at, rolled_to, issued_by, created_at, updated_at
        FROM api_key WHERE tenant_id = \(owner) AND id < \(page.upper) AND id > \(page.lower)
        ORDER BY CASE WHEN \(page.isBackward) THEN id END ASC, id DESC LIMIT \(page.fetched)
        """
    }
}

extension ActingContext {
    /// The `operationId` of an action on an API key. The names for tenants and for the platform differ.
    func apiKeyAction(_ verb: String) -> String {
        owner == .platform ? "\(verb)PlatformAPIKey" : "\(verb)APIKey"
    }

    /// A caller issues only keys with a subset of its own scopes, so no caller passes on more than it has.
    /// - Throws: `Problem` 403 that names the missing scopes.
    func requireOwn(_ scopes: [String]) throws {
        let lacking = Set(scopes).subtracting(caller.scopes.map(\.rawValue)).sorted()
        guard lacking.isEmpty else {
            throw Problem(
                .insufficientScope,
                "A new API key can have only scopes of the caller. The caller lacks "
                    + lacking.map { "`\($0)`" }.joined(separator: ", ") + ".")
        }
    }
}

extension Request {
    /// The path of an API key, derived from a path at or below the list of keys.
    func location(of key: ID<APIKey>) -> String {
        let list = uri.path.parts(at: "/").prefix { !$0.isSame(as: "api-keys") }.joined(separator: "/")
        return "/\(list)/api-keys/\(key)"
    }
}
