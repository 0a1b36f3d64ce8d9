import Postgres
import Server
import TestSupport
import Testing

@Suite("Restore tenant")
struct RestoreTenantTests {
    @Test("the tenant is the same as before, and its sessions continue")
    func restored() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request)
            _ = try await platform.call("DELETE", "/tenants/acme?confirm=acme")
            try await eventually("the deletion is in effect") { try await browser.authorize(request).status == 404 }
            let answer = try await platform.call("POST", "/tenants/acme/restore")
            #expect((answer.status, answer.json["status"] as? String) == (200, "active"))
            #expect(answer.json["purge_after"] == nil)
            try await eventually("the restoration is in effect") { try await browser.authorize(request).status == 302 }
            #expect(try await browser.refresh(tokens["refresh_token"] as? String ?? "", request).status == 200)
            #expect(try await platform.call("GET", "/tenants/acme", key: platform.acme.api_keys[0].secret).status == 200)
            #expect(try await platform.trail(of: "acme", action: "restoreTenant").count == 1)
        }
    }

    @Test("a suspended tenant is suspended again after its restoration")
    func suspended() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.call("POST", "/tenants/globex/suspend")
            _ = try await platform.call("DELETE", "/tenants/globex?confirm=globex")
            #expect(try await platform.call("POST", "/tenants/globex/restore").json["status"] as? String == "suspended")
        }
    }

    @Test("a tenant that is not deleted, or whose time is over, is not restored")
    func conflict() async throws {
        try await TestPlatform.run { platform in
            let active = try await platform.call("POST", "/tenants/acme/restore")
            #expect((active.status, active.json["code"] as? String) == (409, "conflict"))
            _ = try await platform.call("DELETE", "/tenants/acme?confirm=acme")
            _ = try await platform.ownerPool.run("UPDATE tenant SET purge_after = now() - interval '1 second' WHERE slug = 'acme'")
            let late = try await platform.call("POST", "/tenants/acme/restore")
            #expect((late.status, late.json["code"] as? String) == (409, "conflict"))
        }
    }
}
