import Foundation
import Server
import Testing
import TestSupport

@Suite("Get platform API key")
struct GetPlatformAPIKeyTests {
    @Test("operators see a key of the platform without its secret")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let issued = try await platform.call("POST", "/platform/api-keys", ["name": "Second", "scopes": ["tenants:read"]])
            let shown = try await platform.call("GET", "/platform/api-keys/\(issued.resourceID)")
            #expect(shown.status == 200 && shown.string("name") == "Second" && shown.json["secret"] == nil)
            #expect(shown.header("ETag") == issued.header("ETag"))
        }
    }

    @Test("a tenant's key, a missing scope, and a key that is not the platform's are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/api-keys/\(platform.seeded.api_keys[0].id)"
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).isProblem(403, "operator_required"))
            #expect(try await platform.call("GET", path, key: narrow).isProblem(403, "insufficient_scope"))
            for id in [platform.acme.api_keys[0].id, "apikey_00000000000000000000000000", "x"] {
                #expect(try await platform.call("GET", "/platform/api-keys/\(id)").isProblem(404, "not_found"), "\(id)")
            }
        }
    }
}
