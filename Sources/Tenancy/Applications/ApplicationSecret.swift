package import Access
package import Foundation
package import Postgres
package import Sealing

/// The secret of a confidential application: `eas_` and 43 random base62 characters (256 bits).
///
/// Only a keyed digest is stored. A rolled secret stays valid until its overlap ends. At most two are valid.
package struct ApplicationSecret: Identified, Sendable {
    package static let idPrefix = "secret"

    package static let digestPurpose = "application_secret"

    let id: ID<ApplicationSecret>
    let lastFour: String
    let createdAt: Date
    /// Nil until the secret is rolled.
    let expiresAt: Date?

    init(_ row: Row) throws {
        id = try row.get("id")
        lastFour = try row.get("last_four")
        createdAt = try row.get("created_at")
        expiresAt = try row.get("expires_at")
    }

    package static func make(using generator: inout some RandomNumberGenerator) -> Secret {
        Secret("eas_" + Base62.random(43, using: &generator))
    }

    /// The row that the digest is bound to.
    package static func context(_ id: ID<ApplicationSecret>, of application: ID<Application>, tenant: ID<Tenant>) -> SealingContext {
        SealingContext(tenant: tenant.uuid, table: "application_secret", column: "digest", row: "\(application)/\(id)")
    }

    // MARK: Rows

    package static func insert(
        _ id: ID<ApplicationSecret>, tenant: ID<Tenant>, application: ID<Application>, secret: Secret, keyring: Keyring, at now: Date
    ) -> SQL {
        let digest = keyring.digest(secret.revealBytes(), purpose: digestPurpose)
        let bound = keyring.bind(digest, to: context(id, of: application, tenant: tenant))
        return """
            INSERT INTO application_secret (tenant_id, id, application_id, digest, bound_digest, last_four, created_at)
            VALUES (\(tenant), \(id), \(application), \(digest), \(bound), \(String(secret.reveal().suffix(4))), \(now))
            """
    }

    /// Deletes every secret of an application that authenticates with its own key.
    static func deleteAll(of application: ID<Application>, tenant: ID<Tenant>) -> SQL {
        "DELETE FROM application_secret WHERE tenant_id = \(tenant) AND application_id = \(application)"
    }

    /// The digests of the valid secrets, for a check without the cache.
    package static func digests(of application: ID<Application>, tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT id, digest, bound_digest FROM application_secret
        WHERE tenant_id = \(tenant) AND application_id = \(application) AND (expires_at IS NULL OR expires_at > \(now))
        """
    }

    /// The valid secrets, newest first.
    static func valid(of application: ID<Application>, tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        SELECT id, last_four, created_at, expires_at FROM application_secret
        WHERE tenant_id = \(tenant) AND application_id = \(application) AND (expires_at IS NULL OR expires_at > \(now))
        ORDER BY created_at DESC, id DESC
        """
    }
}

/// A secret as callers and the audit trail see it.
struct ApplicationSecretReply: Encodable {
    let id: ID<ApplicationSecret>
    let object = "application_secret"
    let last_four: String
    let expires_at: Date?
    let created_at, updated_at: Date
    /// Only in the response that issues the secret.
    var client_secret: String?

    init(_ secret: ApplicationSecret) {
        (id, last_four, expires_at) = (secret.id, secret.lastFour, secret.expiresAt)
        (created_at, updated_at) = (secret.createdAt, secret.createdAt)
    }

    /// The reply for a new secret.
    init(_ id: ID<ApplicationSecret>, showing secret: Secret, at now: Date) {
        (self.id, last_four, expires_at, client_secret) = (id, String(secret.reveal().suffix(4)), nil, secret.reveal())
        (created_at, updated_at) = (now, now)
    }
}

/// The valid secrets of an application, for the audit trail.
struct ApplicationSecretsReply: Encodable {
    let secrets: [ApplicationSecretReply]
}
