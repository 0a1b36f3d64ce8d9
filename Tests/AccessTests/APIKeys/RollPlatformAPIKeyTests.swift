import Foundation
import Server
import Testing
import TestSupport

@Suite("Roll platform API key")
struct RollPlatformAPIKeyTests {
    @Test("the new key replaces the old one, which stays valid for the overlap, and is rolled only once")
    func rolled() async throws {
        try await TestPlatform.run { platform in
            let old = try await platform.call("POST", "/platform/api-keys", ["name": "Second", "scopes": ["tenants:read"]])
            let path = "/platform/api-keys/\(old.resourceID)/roll"
            let new = try await platform.call("POST", path, ["overlap_seconds": 3600])
            #expect(new.status == 201, "\(new.body)")
            #expect(new.header("Location") == "/v1/platform/api-keys/\(new.resourceID)")
            #expect(new.string("name") == "Second" && new.json["scopes"] as? [String] == ["tenants:read"])
            for key in [old, new] { #expect(try await platform.letsIn(key.string("secret") ?? "")) }
            let shown = try await platform.call("GET", "/platform/api-keys/\(old.resourceID)")
            #expect(shown.string("rolled_to") == new.resourceID && shown.string("expires_at") != nil)
            #expect(try await platform.call("POST", path).isProblem(409, "conflict"))
            let audit = try await platform.audit(old.resourceID)
            #expect(audit.map(\.action) == ["issuePlatformAPIKey", "rollPlatformAPIKey"])
            #expect(audit.last?.after?.contains(new.string("secret") ?? "?") == false)
        }
    }

    @Test("with an overlap of 0 the old key ends at once")
    func atOnce() async throws {
        try await TestPlatform.run { platform in
            let old = try await platform.call("POST", "/platform/api-keys", ["name": "Second", "scopes": ["tenants:read"]])
            let new = try await platform.call("POST", "/platform/api-keys/\(old.resourceID)/roll", ["overlap_seconds": 0])
            #expect(new.status == 201)
            let secret = try #require(old.string("secret"))
            try await eventually("the old key is refused") { try await !platform.letsIn(secret) }
            #expect(try await platform.letsIn(new.string("secret") ?? ""))
        }
    }

    @Test("a tenant's key, a missing scope, and a key that is not the platform's are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/api-keys/\(platform.seeded.api_keys[0].id)/roll"
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[0].secret).isProblem(403, "operator_required"))
            #expect(try await platform.call("POST", path, key: narrow).isProblem(403, "insufficient_scope"))
            for id in [platform.acme.api_keys[0].id, "apikey_00000000000000000000000000", "x"] {
                #expect(try await platform.call("POST", "/platform/api-keys/\(id)/roll").isProblem(404, "not_found"), "\(id)")
            }
        }
    }
}
