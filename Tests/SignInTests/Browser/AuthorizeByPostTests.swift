import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Authorize by POST")
struct AuthorizeByPostTests {
    @Test("a posted request is read from its form only, and another body gets a page")
    func posted() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let (url, body) = ("\(platform.acme.issuer)/oauth2/authorize", String(request.authorizeURL.split(separator: "?")[1]))
            let form = ("Content-Type", "application/x-www-form-urlencoded")
            let good = try await browser.send("POST", "\(url)?client_id=x&state=other", headers: [form], body: body)
            #expect(good.location?.hasPrefix("\(platform.simulator.url)/auth/authorize?") == true)
            #expect(try await browser.send("POST", url, headers: [form], body: body + "&prompt=none").reports(request, "login_required"))
            #expect(try await browser.send("POST", request.authorizeURL, headers: [form], body: nil).isPage(400))
            #expect(try await browser.send("POST", url, headers: [("Content-Type", "application/json")], body: "{}").isPage(400))
            #expect(try await browser.send("POST", url, headers: [form], body: body + "&state=2").isPage(400))
            let nobody = "\(TestPlatform.publicURL)/t/initech/oauth2/authorize"
            #expect(try await browser.send("POST", nobody, headers: [form], body: body).isPage(404))
        }
    }
}
