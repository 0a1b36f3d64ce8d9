package import Access
import Encoding
package import Foundation
package import Postgres
package import Sealing

/// A sealed `.p8` with its Key ID. It is opened only to sign, and never shown again.
///
/// A connection has a key that signs (`current`) and one that signs next (`next`). After a promotion, the old key (`previous`) stays valid
/// for a while and signs if Apple refuses the new one. A retired key has no private part any longer.
package struct AppleKey: Identified, Sendable {
    package static let idPrefix = "applekey"

    package enum State: String, Codable, SQLValue {
        case next, current, previous, retired
    }

    package let id: ID<AppleKey>
    package let owner: UUID
    package let connection: ID<Connection>
    package let keyID: String
    package let sealedPEM: Sealed
    package let state: State
    /// The SHA-256 digest of the public half. Nil for a key of an older version that the doctor has not checked yet.
    package let fingerprint: [UInt8]?
    /// The last time that Apple accepted the key for this connection. Nil if it never did.
    package let provenAt: Date?
    /// The last use, to the minute.
    package let lastUsedAt: Date?
    /// When a previous key stops being the fallback.
    package let usableUntil: Date?
    package let createdAt: Date
    package let updatedAt: Date

    package init(_ row: Row) throws {
        id = try row.get("id")
        owner = try row.get("tenant_id")
        connection = try row.get("connection_id")
        keyID = try row.get("key_id")
        sealedPEM = Sealed(bytes: try row.get("sealed_pem"))
        state = try row.get("state")
        fingerprint = try row.get("fingerprint")
        provenAt = try row.get("proven_at")
        lastUsedAt = try row.get("last_used_at")
        usableUntil = try row.get("usable_until")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    /// Opens the key in PEM. The caller must not hold the result longer than a signature takes.
    package func open(with keyring: Keyring) throws -> String {
        String(decoding: try keyring.open(sealedPEM, in: Self.context(owner: owner, id: id)), as: UTF8.self)
    }

    package static func context(owner: UUID, id: ID<AppleKey>) -> SealingContext {
        SealingContext(tenant: owner, table: "apple_key", column: "sealed_pem", row: id.description)
    }

    /// The current key of the connection that serves a tenant.
    package static func current(forTenantWithSlug slug: String) -> SQL {
        """
        SELECT k.id, k.tenant_id, k.connection_id, k.key_id, k.sealed_pem, k.state, k.fingerprint, k.proven_at, k.last_used_at,
            k.usable_until, k.created_at, k.updated_at
        FROM tenant t JOIN connection c
        ON CASE WHEN t.connection_id IS NULL THEN c.tenant_id = \(UUID.platform)
        ELSE c.tenant_id = t.id AND c.id = t.connection_id END
        JOIN apple_key k ON k.tenant_id = c.tenant_id AND k.connection_id = c.id AND k.state = 'current'
        WHERE t.slug = \(slug)
        """
    }

    /// The keys that can sign for a connection now: the current one, then the previous one during its overlap.
    package static func signing(for connection: ID<Connection>, owner: UUID, at now: Date) -> SQL {
        """
        SELECT id, tenant_id, connection_id, key_id, sealed_pem, state, fingerprint, proven_at, last_used_at, usable_until,
            created_at, updated_at
        FROM apple_key WHERE tenant_id = \(owner) AND connection_id = \(connection)
            AND (state = 'current' OR state = 'previous' AND usable_until > \(now))
        ORDER BY state
        """
    }

    package static func insert(
        _ id: ID<AppleKey>, owner: UUID, connection: ID<Connection>, keyID: String, sealedPEM: Sealed, fingerprint: [UInt8]? = nil,
        state: State, provenAt: Date? = nil, at now: Date
    ) -> SQL {
        """
        INSERT INTO apple_key (tenant_id, id, connection_id, key_id, sealed_pem, fingerprint, state, proven_at, created_at, updated_at)
        VALUES (\(owner), \(id), \(connection), \(keyID), \(sealedPEM.bytes), \(fingerprint), \(state), \(provenAt), \(now), \(now))
        """
    }

    /// Retires a key permanently. Its private part is deleted, its Key ID remains.
    static func retire(_ id: ID<AppleKey>, owner: UUID, at now: Date) -> SQL {
        """
        UPDATE apple_key SET state = 'retired', sealed_pem = '', usable_until = NULL, updated_at = \(now)
        WHERE tenant_id = \(owner) AND id = \(id)
        """
    }
}

/// An Apple key as callers see it, never with the private part.
struct AppleKeyReply: Encodable, Sendable {
    let id: ID<AppleKey>
    let object = "apple_key"
    let key_id: String
    let fingerprint: String?
    let state: AppleKey.State
    let proven_at, last_used_at, usable_until: Date?
    let created_at, updated_at: Date

    init(_ key: AppleKey) {
        (id, key_id, state) = (key.id, key.keyID, key.state)
        fingerprint = key.fingerprint.map(\.hexadecimal)
        (proven_at, last_used_at, usable_until) = (key.provenAt, key.lastUsedAt, key.usableUntil)
        (created_at, updated_at) = (key.createdAt, key.updatedAt)
    }
}
