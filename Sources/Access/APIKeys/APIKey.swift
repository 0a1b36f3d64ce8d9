import Encoding
package import Foundation
package import Postgres
package import Sealing

/// A machine's secret for the REST API.
/// A secret consists of `esk_live_` or `esk_test_`, 30 random base62 characters (178 bits) and 6 characters of their CRC-32. The CRC
/// rejects a mistyped secret without a look-up, and a scanner can recognize a leaked secret. The database stores only keyed digests. A slow
/// hash is unnecessary for 178 bits and would only load the server. The first digest finds the row. The second digest is bound to the owner
/// and the ID, and proves that the row is the issued one.
package struct APIKey: Identified, Sendable {
    package static let idPrefix = "apikey"

    /// A permission of an API key.
    package enum Scope: String, Codable, CaseIterable, Sendable {
        case tenantsRead = "tenants:read"
        case tenantsWrite = "tenants:write"
        case applicationsRead = "applications:read"
        case applicationsWrite = "applications:write"
        case connectionsRead = "connections:read"
        case connectionsWrite = "connections:write"
        case usersRead = "users:read"
        case usersWrite = "users:write"
        case sessionsRead = "sessions:read"
        case sessionsWrite = "sessions:write"
        /// To act as each application of the tenant in the interface of WorkOS AuthKit.
        case authenticateWrite = "authenticate:write"
        case signingKeysRead = "signing_keys:read"
        case signingKeysWrite = "signing_keys:write"
        case apiKeysRead = "api_keys:read"
        case apiKeysWrite = "api_keys:write"
        case auditRead = "audit:read"
        case webhooksRead = "webhooks:read"
        case webhooksWrite = "webhooks:write"
        case usageRead = "usage:read"
        case usageWrite = "usage:write"
        case pricingRead = "pricing:read"
        case pricingWrite = "pricing:write"
        case statementsRead = "statements:read"
        case notificationsRead = "notifications:read"
        case notificationsWrite = "notifications:write"
        /// To see members, invitations and roles.
        case membersRead = "members:read"
        case membersWrite = "members:write"
    }

    package let id: ID<APIKey>
    /// The tenant's ID, or the platform's ID.
    package let owner: UUID
    package let scopes: Set<Scope>
    package let expiresAt: Date?
    package let revokedAt: Date?
    private let digest: [UInt8]
    /// Whether the row is the one that the digest was issued for.
    private let binding: Keyring.Binding

    package init(_ row: Row, with keyring: Keyring) throws {
        id = try row.get("id")
        owner = try row.get("tenant_id")
        // A scope that this version does not know allows nothing here.
        scopes = Set(try row.get("scopes", as: [String].self).compactMap(Scope.init))
        expiresAt = try row.get("expires_at")
        revokedAt = try row.get("revoked_at")
        digest = try row.get("digest")
        binding = keyring.binding(of: digest, try row.get("bound_digest"), to: Self.context(id, owner: owner))
    }

    package func isValid(at now: Date) -> Bool {
        revokedAt == nil && expiresAt.map { now < $0 } ?? true
    }

    /// Whether the secret with these digests belongs to this row. False for a row that was moved or copied from another owner or ID.
    func authenticates(_ digests: [[UInt8]], with keyring: Keyring, at now: Date) -> Bool {
        keyring.authenticates(digests, digest: digest, binding, at: now)
    }

    /// Finds a key by its digest under any digest key.
    package static func find(digests: [[UInt8]]) -> SQL {
        "SELECT id, tenant_id, scopes, expires_at, revoked_at, digest, bound_digest FROM api_key WHERE digest = ANY(\(digests))"
    }

    /// The row that the digest is bound to.
    package static func context(_ id: ID<APIKey>, owner: UUID) -> SealingContext {
        SealingContext(tenant: owner, table: "api_key", column: "digest", row: id.description)
    }

    package static func insert(
        _ id: ID<APIKey>, owner: UUID, name: String, secret: Secret, scopes: [String], expiresAt: Date? = nil,
        issuedBy: ID<Person>? = nil, keyring: Keyring, at now: Date
    ) -> SQL {
        let text = secret.reveal()
        let digest = keyring.digest(Array(text.utf8), purpose: digestPurpose)
        let bound = keyring.bind(digest, to: context(id, owner: owner))
        return """
            INSERT INTO api_key (tenant_id, id, name, digest, bound_digest, last_four, scopes, expires_at, issued_by, created_at,
                updated_at)
            VALUES (\(owner), \(id), \(name), \(digest), \(bound), \(String(text.suffix(4))), \(scopes), \(expiresAt), \(issuedBy),
                \(now), \(now))
            """
    }

    package static let digestPurpose = "api_key"

    // MARK: The secret's form

    private static let random = 30
    private static let checksum = 6

    /// Generates a new secret.
    package static func makeSecret(live: Bool, using generator: inout some RandomNumberGenerator) -> Secret {
        let body = (live ? "esk_live_" : "esk_test_") + Base62.random(random, using: &generator)
        return Secret(body + Base62.encode(CRC32.checksum(body.utf8), digits: checksum))
    }

    /// Whether a text has the form of a secret.
    static func isWellFormed(_ text: String) -> Bool {
        guard text.utf8.count == 9 + random + checksum, text.begins(with: "esk_live_") || text.begins(with: "esk_test_")
        else { return false }
        let bytes = Array(text.utf8)
        return Base62.digits(of: CRC32.checksum(bytes[..<(9 + random)]), checksum) == bytes[(9 + random)...]
    }
}
