import Foundation
import Server
import Testing
import TestSupport

@Suite("Revoke platform API key")
struct RevokePlatformAPIKeyTests {
    @Test("a revoked key of the platform is refused, and revoking it again changes nothing")
    func revoked() async throws {
        try await TestPlatform.run { platform in
            let key = try await platform.call("POST", "/platform/api-keys", ["name": "Second", "scopes": ["tenants:read"]])
            let secret = try #require(key.string("secret"))
            #expect(try await platform.letsIn(secret))
            let path = "/platform/api-keys/\(key.resourceID)/revoke"
            let revoked = try await platform.call("POST", path)
            #expect(revoked.status == 200 && revoked.string("revoked_at") != nil && revoked.json["secret"] == nil)
            try await eventually("the key is refused") { try await !platform.letsIn(secret) }
            let again = try await platform.call("POST", path)
            #expect(again.string("revoked_at") == revoked.string("revoked_at") && again.header("ETag") == revoked.header("ETag"))
            #expect(try await platform.audit(key.resourceID).map(\.action) == ["issuePlatformAPIKey", "revokePlatformAPIKey"])
        }
    }

    @Test("a tenant's key, a missing scope, and a key that is not the platform's are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/api-keys/\(platform.seeded.api_keys[0].id)/revoke"
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[0].secret).isProblem(403, "operator_required"))
            #expect(try await platform.call("POST", path, key: narrow).isProblem(403, "insufficient_scope"))
            for id in [platform.acme.api_keys[0].id, "apikey_00000000000000000000000000", "x"] {
                #expect(try await platform.call("POST", "/platform/api-keys/\(id)/revoke").isProblem(404, "not_found"), "\(id)")
            }
        }
    }
}
