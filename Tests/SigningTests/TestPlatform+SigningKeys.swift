import Access
import Foundation
import Postgres
import Server
@testable import Signing
import Tenancy
import TestSupport

extension TestPlatform {
    /// The key IDs of a tenant's JWKS, in its order.
    /// - Parameter address: the address of the process to ask.
    func publishedKeys(of tenant: SeedResult.TenantResult, at address: String = publicURL) async throws -> [String] {
        let keys = try await TestBrowser(self).get("\(address)/t/\(tenant.slug)/oauth2/jwks").json["keys"] as? [[String: String]] ?? []
        return keys.compactMap { $0["kid"] }
    }

    /// A tenant's stored keys, in the order of the JWKS.
    func signingKeys(of tenant: SeedResult.TenantResult) async throws -> [SigningKeyReply] {
        try await ownerPool.run(SigningKeyReply.all(of: ID(tenant.id)!)).map(SigningKeyReply.init)
    }

    /// Makes all keys older by this time.
    func ageSigningKeys(by seconds: Int = 3600) async throws {
        _ = try await ownerPool.run(
            """
            UPDATE signing_key SET created_at = created_at - make_interval(secs => \(seconds)),
                activated_at = activated_at - make_interval(secs => \(seconds))
            """)
    }

    func rotateSigningKeys(
        _ body: [String: any Sendable]? = nil, of slug: String = "acme", key: String? = nil
    ) async throws -> TestBrowser.Answer {
        try await call("POST", "/tenants/\(slug)/signing-keys/rotate", key: key, body)
    }

    /// Whether a process returns a user's claims for an access token.
    func isTaken(_ token: String?, at address: String = publicURL) async throws -> Bool {
        let answer = try await TestBrowser(self).get(
            "\(address)/t/acme/oauth2/userinfo", headers: [("Authorization", "Bearer \(token ?? "")")])
        return answer.status == 200
    }
}

extension TestBrowser.Answer {
    /// The keys in the response to a rotation.
    var signingKeys: [[String: any Sendable]] { json["signing_keys"] as? [[String: any Sendable]] ?? [] }
}
