import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Revoke API key")
struct RevokeAPIKeyTests {
    private static func revoke(_ id: String, _ platform: TestPlatform, key: String? = nil) async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/acme/api-keys/\(id)/revoke", key: key)
    }

    @Test("a revoked key is refused like an unknown key, and revoking it again changes nothing")
    func revoked() async throws {
        try await TestPlatform.run { platform in
            let key = try await platform.issue()
            let (id, secret) = (try #require(key.string("id")), try #require(key.string("secret")))
            #expect(try await platform.letsIn(secret))
            let answer = try await Self.revoke(id, platform)
            #expect(answer.status == 200)
            #expect(answer.string("revoked_at") != nil && answer.json["secret"] == nil)
            #expect(answer.header("ETag") != key.header("ETag"))
            try await eventually("the key is refused") { try await !platform.letsIn(secret) }
            #expect(try await platform.call("GET", "/tenants/acme", key: secret).isProblem(401, "unauthenticated"))
            let again = try await Self.revoke(id, platform)
            #expect(again.string("revoked_at") == answer.string("revoked_at") && again.header("ETag") == answer.header("ETag"))
            #expect(try await platform.audit(id).map(\.action) == ["issueAPIKey", "revokeAPIKey"])
        }
    }

    @Test("a key can revoke itself")
    func itself() async throws {
        try await TestPlatform.run { platform in
            let key = try await platform.issue(scopes: ["api_keys:write", "tenants:read"])
            let (id, secret) = (try #require(key.string("id")), try #require(key.string("secret")))
            #expect(try await Self.revoke(id, platform, key: secret).status == 200)
            try await eventually("the key is refused") { try await !platform.letsIn(secret) }
        }
    }

    @Test("only the owner and an operator can revoke a key, and only with the scope")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let id = try #require(try await platform.issue().string("id"))
            #expect(try await Self.revoke(id, platform, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await Self.revoke(id, platform, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            for other in [platform.globex.api_keys[0].id, platform.seeded.api_keys[0].id, "x"] {
                #expect(try await Self.revoke(other, platform).isProblem(404, "not_found"))
            }
            #expect(
                try await platform.call("POST", "/platform/api-keys/\(id)/revoke", key: platform.acme.api_keys[0].secret)
                    .isProblem(403, "operator_required"))
            #expect(try await platform.call("POST", "/platform/api-keys/\(id)/revoke").isProblem(404, "not_found"))
            #expect(try await platform.count("api_key", where: "revoked_at IS NOT NULL") == 0)
            #expect(try await Self.revoke(id, platform, key: platform.operatorKey).status == 200)
        }
    }
}
