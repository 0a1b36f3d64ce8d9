import Foundation
import Postgres
import Sealing
import Server
import Tenancy
import TestSupport

/// API keys that let nobody in, and some that do not let in enough.
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

    /// Those of nobody, each with what is wrong with it.
    var ofNobody: [(what: String, key: String?)] {
        let own = platform.acme.api_keys[0].secret
        return [
            ("no", nil), ("an empty", ""), ("a short", "x"), ("a mistyped", String(own.dropLast()) + (own.last == "0" ? "1" : "0")),
            ("an unknown", "esk_live_0123456789012345678901234567890rUOfi"), ("a revoked", revoked), ("an expired", expired),
        ]
    }

    /// Every scope but this one.
    func lacking(_ scope: String, owner: UUID) async throws -> String {
        try await Self.issue("Lacks \(scope)", owner: owner, APIKey.Scope.allCases.filter { $0.rawValue != scope }, platform)
    }

    /// Straight into the table: no action issues one that is revoked or expired.
    static func issue(
        _ name: String, owner: UUID, _ scopes: [APIKey.Scope], revokedAt: Date? = nil, expiresAt: Date? = nil, _ platform: TestPlatform
    ) async throws -> String {
        var generator = SystemRandomNumberGenerator()
        let secret = APIKey.makeSecret(live: false, using: &generator).reveal()
        let digest = platform.settings.keyring.digest(Array(secret.utf8), purpose: APIKey.digestPurpose)
        let now = Date()
        _ = try await platform.ownerPool.run(
            """
            INSERT INTO api_key (tenant_id, id, name, digest, last_four, scopes, created_at, revoked_at, expires_at)
            VALUES (\(owner), \(ID<APIKey>(at: now)), \(name), \(digest), \(String(secret.suffix(4))), \(scopes.map(\.rawValue)), \(now),
                \(revokedAt), \(expiresAt))
            """)
        return secret
    }
}
