import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("Authorization server metadata at the root")
struct AuthorizationServerMetadataAtRootTests {
    @Test("each tenant's metadata is at the path of RFC 8414, section 3, for any origin and cacheable, and an unknown tenant gets 404")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            for tenant in platform.seeded.tenants {
                let main = try await browser.get("\(tenant.issuer)/.well-known/openid-configuration")
                let answer = try await browser.get(
                    "\(TestPlatform.publicURL)/.well-known/oauth-authorization-server/t/\(tenant.slug)",
                    headers: [("Origin", "https://app.test")])
                #expect(answer.status == 200)
                #expect(answer.json as NSDictionary == main.json as NSDictionary)
                #expect(answer.header("Cache-Control") == "public, max-age=300")
                #expect(answer.header("Access-Control-Allow-Origin") == "*")
            }
            #expect(try await browser.get("\(TestPlatform.publicURL)/.well-known/oauth-authorization-server/t/initech").status == 404)
        }
    }
}
