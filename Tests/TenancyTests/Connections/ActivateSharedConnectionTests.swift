import Access
import Foundation
import Postgres
import Sealing
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Activate shared connection")
struct ActivateSharedConnectionTests {
    @Test("another tenant, a narrow key, another version and a platform without a connection are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/shared-connection/activate"
            #expect(try await platform.call("POST", path, key: platform.globex.api_keys[0].secret).status == 404)
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[1].secret).status == 403)
            #expect(try await platform.call("POST", path, headers: [("If-Match", "\"x\"")]).status == 412)
            #expect(try await platform.call("POST", path, ["x": 1]).status == 400)
            _ = try await platform.ownerPool.run("UPDATE apple_key SET state = 'next' WHERE key_id = \(platform.shared.keyID)")
            #expect(try await platform.call("POST", path).status == 409)
            try await platform.serves(platform.own, platform.acme)
        }
    }

    @Test("the shared connection needs no plan, and accepts If-Match of the tenant")
    func lapsed() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run("UPDATE tenant SET plan = 'free' WHERE slug = 'acme'")
            let first = try await platform.moveToShared()
            #expect(first.json["plan"] as? String == "free")
            let tag = try #require(first.header("ETag"))
            let again = try await platform.call(
                "POST", "/tenants/acme/shared-connection/activate", headers: [("If-Match", tag)])
            #expect(again.status == 200)
            #expect(again.header("ETag") == tag)
        }
    }
}
