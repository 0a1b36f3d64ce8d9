package import Foundation
package import Postgres
package import Sealing

/// A sealed `.p8` with its Key ID. Opened only to sign, and never shown again.
package struct AppleKey: Identified, Sendable {
    package static let idPrefix = "applekey"

    package enum State: String, SQLValue {
        case next, current, retired
    }

    package let id: ID<AppleKey>
    package let owner: UUID
    package let keyID: String
    package let sealedPEM: Sealed

    package init(_ row: Row) throws {
        id = try row.get("id")
        owner = try row.get("tenant_id")
        keyID = try row.get("key_id")
        sealedPEM = Sealed(bytes: try row.get("sealed_pem"))
    }

    /// The key in PEM. Nobody keeps what this returns longer than a signature takes.
    package func open(with keyring: Keyring) throws -> String {
        String(decoding: try keyring.open(sealedPEM, in: Self.context(owner: owner, id: id)), as: UTF8.self)
    }

    package static func context(owner: UUID, id: ID<AppleKey>) -> SealingContext {
        SealingContext(tenant: owner, table: "apple_key", column: "sealed_pem", row: id.description)
    }

    /// The key that signs for the connection that serves a tenant.
    package static func current(forTenantWithSlug slug: String) -> SQL {
        """
        SELECT k.id, k.tenant_id, k.key_id, k.sealed_pem FROM tenant t JOIN connection c
        ON CASE WHEN t.connection_id IS NULL THEN c.tenant_id = \(UUID.platform)
        ELSE c.tenant_id = t.id AND c.id = t.connection_id END
        JOIN apple_key k ON k.tenant_id = c.tenant_id AND k.connection_id = c.id AND k.state = 'current'
        WHERE t.slug = \(slug)
        """
    }

    package static func insert(
        _ id: ID<AppleKey>, owner: UUID, connection: ID<Connection>, keyID: String, sealedPEM: Sealed, state: State, at now: Date
    ) -> SQL {
        """
        INSERT INTO apple_key (tenant_id, id, connection_id, key_id, sealed_pem, state, created_at, updated_at)
        VALUES (\(owner), \(id), \(connection), \(keyID), \(sealedPEM.bytes), \(state), \(now), \(now))
        """
    }
}
