import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("Shared Apple callback")
struct SharedAppleCallbackTests {
    @Test("Apple's response for any tenant on the shared connection returns to that tenant's application")
    func returns() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.globex))
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            #expect(form.action == "\(TestPlatform.publicURL)/auth/apple/callback")
            let back = try await browser.callback(form)
            #expect(back.status == 303 && back.location?.hasPrefix(request.redirectURI) == true)
            #expect(back["state"] == request.state && back["iss"] == platform.globex.issuer)
            #expect(try await browser.redeem(try #require(back["code"]), request).status == 200)
        }
    }

    @Test("an attempt of a tenant's own connection, a changed state and a cancellation finish no login")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            var own = try await browser.atApple(try await browser.authorize(.init(platform.acme)), person: "new")
            own.action = platform.globex.return_url
            #expect(try await browser.callback(own).isPage(400))
            let request = TestBrowser.Request(platform.globex)
            var changed = try await browser.atApple(try await browser.authorize(request), person: "new")
            changed["state"] = "x"
            #expect(try await browser.callback(changed).isPage(400))
            let cancelled = try await browser.atApple(try await browser.authorize(request), person: "cancel")
            #expect(try await browser.callback(cancelled).reports(request, "access_denied"))
            #expect(try await platform.count("session") == 0)
        }
    }
}
