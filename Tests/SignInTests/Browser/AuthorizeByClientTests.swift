import Foundation
import NIOHTTP1
import Postgres
import Server
import Testing
import TestSupport

@Suite("Authorize by client")
struct AuthorizeByClientTests {
    @Test("an application that knows only its client ID can sign users in")
    func byClientID() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let url = "\(TestPlatform.publicURL)/auth/apple/authorize"
            for tenant in platform.seeded.tenants {
                let old = TestBrowser.Request(tenant, application: 2)
                let bare = [("client_id", old.application.client_id), ("redirect_uri", old.redirectURI)]
                let toApple = try await browser.get(TestBrowser.Request.url(url, bare))
                let back = try await browser.callback(try await browser.atApple(toApple, person: "new"))
                #expect(back["state"] == nil)
                #expect(back["iss"] == tenant.issuer)
                let form = [("grant_type", "authorization_code"), ("code", back["code"] ?? ""), ("redirect_uri", old.redirectURI)]
                let tokens = try await browser.token(old, form)
                #expect(tokens.status == 200)
                #expect(tokens.string("scope") == "openid profile email")
                #expect(tokens.string("id_token") != nil)

                // An application that must use PKCE must use it here, too.
                let strict = TestBrowser.Request(tenant)
                let refused = try await browser.get(
                    TestBrowser.Request.url(
                        url, [("client_id", strict.application.client_id), ("redirect_uri", strict.redirectURI), ("state", strict.state)]))
                #expect(refused.reports(strict, "invalid_request"))
            }
        }
    }

    @Test("an unknown client, a missing one and a redirect URI that is not registered get a page and never a redirect")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let url = "\(TestPlatform.publicURL)/auth/apple/authorize"
            for changes: [String: String?] in [
                ["client_id": "app_00000000000000000000000000"], ["client_id": nil], ["redirect_uri": "https://evil.test/"],
            ] {
                let answer = try await browser.get(request.authorizeURL(changing: changes, at: url))
                #expect(answer.isPage(400), "\(changes)")
            }
        }
    }
}
