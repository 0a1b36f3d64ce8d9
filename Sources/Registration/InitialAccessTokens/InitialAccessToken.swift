import Access
import Foundation
import Postgres
import Sealing
import Tenancy

/// A token with which software registers applications of a tenant (RFC 7591, section 1.2): `eit_` and 43 random base62 characters (256
/// bits).
///
/// Only keyed digests are stored. The first digest finds the row within the tenant. The second one is bound to the tenant and the ID, and
/// proves that the row is the issued one.
struct InitialAccessToken: Identified, Sendable {
    static let idPrefix = "iat"

    let id: ID<InitialAccessToken>
    let name: String
    let lastFour: String
    /// The kinds of applications that it may register.
    let kinds: [Application.Kind]
    /// Whether its applications of kind `web` must use PKCE.
    let requiresPKCE: Bool
    let mostRegistrations: Int
    var registrations = 0
    let expiresAt: Date
    var revokedAt: Date?
    let createdAt: Date
    var updatedAt: Date

    static let prefix = "eit_"
    static let digestPurpose = "initial_access_token"
    /// The limit of usable tokens per tenant.
    static let most = 100
    static let mostRegistrations = 500
    static let defaultSeconds: TimeInterval = 7 * 86400
    static let longestSeconds: TimeInterval = 90 * 86400

    static func make(using generator: inout some RandomNumberGenerator) -> Secret {
        Secret(prefix + Base62.random(RegistrationToken.characters, using: &generator))
    }

    /// The row that the digest is bound to.
    static func context(_ id: ID<InitialAccessToken>, of tenant: ID<Tenant>) -> SealingContext {
        SealingContext(tenant: tenant.uuid, table: "initial_access_token", column: "digest", row: id.description)
    }

    func isUsable(at now: Date) -> Bool {
        revokedAt == nil && now < expiresAt && registrations < mostRegistrations
    }
}

// MARK: Rows

extension InitialAccessToken {
    init(_ row: Row) throws {
        id = try row.get("id")
        name = try row.get("name")
        lastFour = try row.get("last_four")
        kinds = try row.get("kinds", as: [String].self).compactMap(Application.Kind.init)
        requiresPKCE = try row.get("requires_pkce")
        mostRegistrations = try row.get("max_registrations")
        registrations = try row.get("registrations")
        expiresAt = try row.get("expires_at")
        revokedAt = try row.get("revoked_at")
        createdAt = try row.get("created_at")
        updatedAt = try row.get("updated_at")
    }

    /// Finds a token of the tenant by its digest under any digest key.
    static func find(digests: [[UInt8]], of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, name, last_four, kinds, requires_pkce, max_registrations, registrations, expires_at, revoked_at, created_at, updated_at,
            digest, bound_digest
        FROM initial_access_token WHERE tenant_id = \(tenant) AND digest = ANY(\(digests))
        """
    }

    static func find(_ id: ID<InitialAccessToken>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, name, last_four, kinds, requires_pkce, max_registrations, registrations, expires_at, revoked_at, created_at, updated_at
        FROM initial_access_token WHERE tenant_id = \(tenant) AND id = \(id)
        """
    }

    /// Like `find`, and locks the row until the end of the transaction.
    static func lock(_ id: ID<InitialAccessToken>, of tenant: ID<Tenant>) -> SQL {
        """
        SELECT id, name, last_four, kinds, requires_pkce, max_registrations, registrations, expires_at, revoked_at, created_at, updated_at
        FROM initial_access_token WHERE tenant_id = \(tenant) AND id = \(id) FOR UPDATE
        """
    }

    /// Counts a registration. It affects no row if the token is no longer usable. The second of two simultaneous registrations waits, and
    /// then sees the count of the first one.
    static func use(_ id: ID<InitialAccessToken>, of tenant: ID<Tenant>, at now: Date) -> SQL {
        """
        UPDATE initial_access_token SET registrations = registrations + 1,
            updated_at = GREATEST(\(now), updated_at + interval '1 microsecond')
        WHERE tenant_id = \(tenant) AND id = \(id) AND revoked_at IS NULL AND expires_at > \(now) AND registrations < max_registrations
        """
    }

    func insert(_ secret: Secret, tenant: ID<Tenant>, keyring: Keyring) -> SQL {
        let digest = keyring.digest(secret.revealBytes(), purpose: Self.digestPurpose)
        let bound = keyring.bind(digest, to: Self.context(id, of: tenant))
        return """
            INSERT INTO initial_access_token (tenant_id, id, name, digest, bound_digest, last_four, kinds, requires_pkce, max_registrations,
                registrations, expires_at, created_at, updated_at)
            VALUES (\(tenant), \(id), \(name), \(digest), \(bound), \(lastFour), \(kinds.map(\.rawValue)), \(requiresPKCE),
                \(mostRegistrations), \(registrations), \(expiresAt), \(createdAt), \(updatedAt))
            """
    }
}
