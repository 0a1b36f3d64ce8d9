import Foundation
import Server
import Testing
import TestSupport

@Suite("Get API key")
struct GetAPIKeyTests {
    @Test("a key is shown with its version and without its secret")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let issued = try await platform.issue("Nightly", expiresAt: "2100-01-01T00:00:00Z")
            let shown = try await platform.call("GET", "/tenants/acme/api-keys/\(issued.resourceID)", key: platform.acme.api_keys[0].secret)
            #expect(shown.status == 200)
            #expect(
                Set(shown.json.keys) == ["id", "object", "name", "last_four", "scopes", "expires_at", "created_at", "updated_at"])
            #expect(shown.string("name") == "Nightly" && shown.string("last_four") == issued.string("last_four"))
            #expect(shown.header("ETag") == issued.header("ETag"))
        }
    }

    @Test("another owner's key, an unknown key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/api-keys"
            let own = "\(path)/\(platform.acme.api_keys[0].id)"
            let shown = try await platform.call("GET", own)
            #expect(shown.status == 200)
            #expect(try await platform.call("GET", own, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
            for id in [
                platform.globex.api_keys[0].id, platform.seeded.api_keys[0].id, "apikey_00000000000000000000000000", "x", platform.acme.id,
            ] {
                #expect(try await platform.call("GET", "\(path)/\(id)").isProblem(404, "not_found"))
            }
            // A tenant's key is not in the platform's list.
            #expect(try await platform.call("GET", "/platform/api-keys/\(platform.acme.api_keys[0].id)").isProblem(404, "not_found"))
        }
    }
}
