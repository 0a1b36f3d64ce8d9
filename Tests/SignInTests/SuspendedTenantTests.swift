import Foundation
import Server
import TestSupport
import Testing

@Suite("Suspended tenant")
struct SuspendedTenantTests {
    @Test("no endpoint serves it, including logins in progress; others are unaffected", arguments: [0, 1])
    func suspended(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let tenant = platform.seeded.tenants[number]
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(tenant))
            let tokens = try await browser.tokens(request)
            let code = try await browser.code(request)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")

            try await platform.suspend(tenant)
            try await eventually("the suspension has arrived") { try await browser.authorize(request).isPage(404) }
            let byClient = request.authorizeURL(changing: [:], at: "\(TestPlatform.publicURL)/auth/apple/authorize")
            #expect(try await browser.get(byClient).isPage(400))
            #expect(try await browser.callback(form).isPage(404))
            #expect(try await browser.redeem(code, request).status == 404)
            #expect(try await browser.refresh(tokens["refresh_token"] as? String ?? "", request).status == 404)
            #expect(try await browser.userInfo(tokens["access_token"] as? String, of: tenant).status == 404)
            #expect(try await browser.get("\(tenant.issuer)/oauth2/jwks").status == 404)
            #expect(try await browser.get("\(tenant.issuer)/.well-known/openid-configuration").status == 404)
            #expect(try await platform.countBilled() == 1)

            let other = TestBrowser.Request(platform.seeded.tenants[1 - number])
            #expect(try await TestBrowser(platform).tokens(other)["access_token"] != nil)
        }
    }
}
