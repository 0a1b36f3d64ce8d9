import Foundation
import Server
import TestSupport
import Testing

@Suite("Remove logo")
struct RemoveLogoTests {
    @Test("the logo is gone from the branding and from its address, and another one can follow")
    func removes() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/branding/logo"
            #expect(try await platform.call("DELETE", path).status == 404)
            let set = try await platform.setLogo(svg: Pictures.square)
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", "\"x\"")]).status == 412)
            #expect(try await platform.call("DELETE", path, key: platform.narrowKey("tenants:read")).status == 403)
            #expect(try await platform.send("GET", set.logoPath).status == 200)
            let tag = try #require(set.headers["etag"])
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", tag)]).status == 204)
            let read = try await platform.call("GET", "/tenants/acme/branding")
            #expect(read.json["logo"] == nil && read.header("ETag") != tag)
            #expect(try await platform.send("GET", set.logoPath).status == 404)
            #expect(try await platform.auditTrail(of: "removeLogo").count == 1)
            #expect(try await platform.setLogo(svg: Pictures.square).logoPath == set.logoPath)
            #expect(try await platform.send("GET", set.logoPath).status == 200)
        }
    }
}
