import Access
import Foundation
import Server
import TestSupport
import Testing

@Suite("Get branding")
struct GetBrandingTests {
    @Test("a tenant without a branding has an empty one, with a version that a first change may match")
    func none() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/branding"
            let empty = try await platform.call("GET", path)
            #expect(empty.status == 200)
            #expect(Set(empty.json.keys) == ["object", "warnings", "created_at", "updated_at"])
            let tag = try #require(empty.header("ETag"))
            let first = try await platform.call("PATCH", path, ["color": "#0A7D5C"], headers: [("If-Match", tag)])
            #expect(first.status == 200 && first.string("color") == "#0a7d5c", "\(first.body)")
            #expect(first.header("ETag") != tag)
            #expect(first.string("created_at") == empty.string("created_at"))
            #expect(try await platform.call("PATCH", path, ["color": NSNull()], headers: [("If-Match", tag)]).status == 412)
            let read = try await platform.call("GET", path)
            #expect(read.body == first.body && read.header("ETag") == first.header("ETag"))
        }
    }

    @Test("a tenant's key reads its own branding, with the scope tenants:read, and no other")
    func isolation() async throws {
        try await TestPlatform.run { platform in
            let (acme, globex) = (platform.acme.api_keys[0].secret, platform.globex.api_keys[0].secret)
            _ = try await platform.call("PATCH", "/tenants/acme/branding", key: acme, ["display_name": "Acme Shop"])
            #expect(try await platform.call("GET", "/tenants/acme/branding", key: acme).string("display_name") == "Acme Shop")
            #expect(try await platform.call("GET", "/tenants/acme/branding", key: globex).status == 404)
            #expect(try await platform.call("PATCH", "/tenants/acme/branding", key: globex, ["display_name": "Evil"]).status == 404)
            #expect(try await platform.setLogo(svg: Pictures.square, key: globex).status == 404)
            #expect(try await platform.call("DELETE", "/tenants/acme/branding/logo", key: globex).status == 404)
            #expect(try await platform.call("GET", "/tenants/globex/branding", key: globex).string("display_name") == nil)
            let other = try await platform.narrowKey("applications:read")
            #expect(try await platform.call("GET", "/tenants/acme/branding", key: other).status == 403)
            #expect(try await platform.call("GET", "/tenants/acme/branding?x=1").status == 400)
        }
    }
}
