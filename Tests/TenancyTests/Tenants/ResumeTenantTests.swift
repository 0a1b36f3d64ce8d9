import Server
import TestSupport
import Testing

@Suite("Resume tenant")
struct ResumeTenantTests {
    @Test("users sign in again, and earlier sessions continue")
    func resumed() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.globex))
            let tokens = try await browser.tokens(request)
            _ = try await platform.call("POST", "/tenants/globex/suspend")
            try await eventually("the suspension is in effect") { try await browser.authorize(request).status == 404 }
            let answer = try await platform.call("POST", "/tenants/globex/resume")
            #expect((answer.status, answer.json["status"] as? String) == (200, "active"))
            try await eventually("the resumption is in effect") { try await browser.authorize(request).status == 302 }
            #expect(try await browser.refresh(tokens["refresh_token"] as? String ?? "", request).status == 200)
            #expect(try await platform.trail(of: "globex", action: "resumeTenant").count == 1)
        }
    }

    @Test("only a suspended tenant is resumed")
    func conflict() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call("POST", "/tenants/acme/resume")
            #expect((answer.status, answer.json["code"] as? String) == (409, "conflict"))
            #expect(try await platform.trail(of: "acme", action: "resumeTenant").isEmpty)
        }
    }
}
