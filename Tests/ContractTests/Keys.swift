import Access
import Foundation
import Postgres
import Sealing
import Server
import Sessions
import Tenancy
import TestSupport

/// API keys that are invalid, and keys without enough rights.
struct Keys: Sendable {
    let acme: UUID
    private let platform: TestPlatform
    let revoked, expired: String

    init(_ platform: TestPlatform) async throws {
        self.platform = platform
        acme = ID<Tenant>(platform.acme.id)!.uuid
        let past = Date(timeIntervalSinceNow: -1)
        revoked = try await Self.issue("Revoked", owner: acme, APIKey.Scope.allCases, revokedAt: past, platform)
        expired = try await Self.issue("Expired", owner: acme, APIKey.Scope.allCases, expiresAt: past, platform)
    }

    /// Invalid keys, each with the reason.
    var ofNobody: [(what: String, key: String?)] {
        let own = platform.acme.api_keys[0].secret
        return [
            ("no", nil), ("an empty", ""), ("a short", "x"), ("a mistyped", String(own.dropLast()) + (own.last == "0" ? "1" : "0")),
            ("an unknown", "esk_live_0123456789012345678901234567890rUOfi"), ("a revoked", revoked), ("an expired", expired),
        ]
    }

    /// A key with every scope except this one.
    func lacking(_ scope: String, owner: UUID) async throws -> String {
        try await Self.issue("Lacks \(scope)", owner: owner, APIKey.Scope.allCases.filter { $0.rawValue != scope }, platform)
    }

    /// Inserted directly into the table, because no action issues a revoked or expired key.
    static func issue(
        _ name: String, owner: UUID, _ scopes: [APIKey.Scope], revokedAt: Date? = nil, expiresAt: Date? = nil, _ platform: TestPlatform
    ) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let secret = APIKey.makeSecret(live: false, using: &generator)
        let now = Date()
        let id = ID<APIKey>(at: now)
        _ = try await platform.ownerPool.run([
            APIKey.insert(
                id, owner: owner, name: name, secret: secret, scopes: scopes.map(\.rawValue), expiresAt: expiresAt,
                keyring: platform.settings.keyring, at: now),
            "UPDATE api_key SET revoked_at = \(revokedAt) WHERE tenant_id = \(owner) AND id = \(id)",
        ])
        return secret.reveal()
    }
}
