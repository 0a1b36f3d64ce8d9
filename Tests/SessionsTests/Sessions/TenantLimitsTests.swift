import Access
import Foundation
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
@testable import Users

/// The lifetime of sessions under their tenant's limits.
@Suite("Tenant's session limits")
struct TenantLimitsTests {
    private func age(_ session: String, by seconds: Int, idle: Int, _ platform: TestPlatform) async throws {
        _ = try await platform.ownerPool.run(
            """
            UPDATE session SET created_at = created_at - make_interval(secs => \(seconds)),
                refreshed_at = refreshed_at - make_interval(secs => \(idle))
            WHERE id = \(ID<Session>(session))
            """)
    }

    @Test("a limit applies to existing sessions at once, and so does its removal", arguments: ["session_seconds", "idle_seconds"])
    func atOnce(setting: String) async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            try await age(login.session, by: 7200, idle: 7200, platform)
            #expect(try await login.lasts())
            #expect(try await platform.call("PATCH", "/tenants/acme", [setting: 3600]).status == 200)
            #expect(try await login.isOver())
            let shown = try await platform.call("GET", "/tenants/acme/sessions/\(login.session)")
            #expect(shown.string("status") == "expired")
            #expect(try await platform.call("GET", "/tenants/acme/sessions?status=active").data.isEmpty)

            #expect(try await platform.call("PATCH", "/tenants/acme", [setting: NSNull()]).status == 200)
            try await eventually("the removal of the limit has arrived") { try await login.lasts() }
            #expect(try await platform.call("GET", "/tenants/acme/sessions/\(login.session)").string("status") == "active")
        }
    }

    @Test("the shorter limit of tenant and application counts, and a new session ends by it")
    func shorter() async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.call("PATCH", "/tenants/acme", ["session_seconds": 3600]).status == 200)
            let began = Date()
            let login = try await platform.login()
            let begun = try await platform.call("GET", "/tenants/acme/sessions/\(login.session)")
            #expect(try #require(begun.string("expires_at")) < began.addingTimeInterval(3900).ISO8601Format())

            #expect(try await platform.call("PATCH", "/tenants/acme", ["session_seconds": 31_536_000]).status == 200)
            let application = platform.acme.applications[0].client_id
            #expect(
                try await platform.call(
                    "PATCH", "/tenants/acme/applications/\(application)", ["session_seconds": 600, "idle_seconds": 600]
                )
                .status == 200)
            let other = try await platform.login()
            let shown = try await platform.call("GET", "/tenants/acme/sessions/\(other.session)")
            #expect(try #require(shown.string("expires_at")) < began.addingTimeInterval(900).ISO8601Format())
        }
    }

    @Test("codes from before a sign-out of all sessions get no tokens and cost nothing", arguments: ["user", "tenant"])
    func codesInFlight(whose: String) async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let earlier = try await platform.login("Ada Lovelace")
            let code = try await browser.code(request, person: "Ada Lovelace")
            let path = whose == "user" ? "users/\(earlier.user)/sessions/revoke" : "sessions/revoke?confirm=acme"
            #expect(try await platform.call("POST", "/tenants/acme/\(path)").status == 200)
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("session") == 1)
            #expect(try await platform.countBilled() == 1)
            // A person who signs in afterwards has a session.
            #expect(try await platform.login("Ada Lovelace").lasts())
        }
    }

    @Test(
        "sessions that a limit ended before a sign-out stay ended when the limit is removed", arguments: ["user", "tenant"])
    func lifted(whose: String) async throws {
        try await TestPlatform.run { platform in
            let api = try await platform.resourceServer()
            let login = try await platform.login("Ada Lovelace")
            // This is so long ago that its access tokens have expired.
            try await age(login.session, by: 90_000, idle: 90_000, platform)
            #expect(try await platform.call("PATCH", "/tenants/acme", ["idle_seconds": 3600]).status == 200)
            #expect(try await login.lasts() == false)
            let path = whose == "user" ? "users/\(login.user)/sessions/revoke" : "sessions/revoke?confirm=acme"
            #expect(try await platform.call("POST", "/tenants/acme/\(path)").json["revoked"] as? Int == 0)
            let later = try await platform.login("Ada Lovelace")
            try await age(later.session, by: 0, idle: 7200, platform)
            #expect(try await later.lasts() == false)

            #expect(try await platform.call("PATCH", "/tenants/acme", ["idle_seconds": NSNull()]).status == 200)
            try await eventually("the removal of the limit has arrived") {
                try await later.browser.refresh(later.refresh, later.request).status == 200
            }
            #expect(try await later.lasts())
            #expect(try await login.isOver())
            #expect(try await platform.introspect(login.access, as: api).isInactive)
        }
    }

    @Test("a sign-out in one process applies to the other")
    func everywhere() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { second in
                let (login, api) = (try await platform.login(), try await platform.resourceServer())
                let introspect = { (token: String) in
                    try await login.browser.post("\(second.address)/t/acme/oauth2/introspect", form: [("token", token)] + api.form)
                }
                #expect(try await introspect(login.access).json["active"] as? Bool == true)
                let path = "\(second.address)/t/acme/oauth2/userinfo"
                let headers = [("Authorization", "Bearer \(login.access)")]
                #expect(try await login.browser.get(path, headers: headers).status == 200)
                #expect(try await platform.call("POST", "/tenants/acme/users/\(login.user)/sessions/revoke").status == 200)
                // No cache is involved, so this applies to the next request.
                #expect(try await login.browser.get(path, headers: headers).isOAuthError(401, "invalid_token"))
                #expect(try await introspect(login.access).isInactive)
                let refreshed = try await login.browser.post(
                    "\(second.address)/t/acme/oauth2/token",
                    form: [
                        ("grant_type", "refresh_token"), ("refresh_token", login.refresh),
                        ("client_id", login.request.application.client_id),
                        ("client_secret", login.request.application.client_secret ?? ""),
                    ])
                #expect(refreshed.isOAuthError(400, "invalid_grant"))
            }
        }
    }

    @Test("a session records its device in printable characters, with a limited length")
    func device() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let browser = TestBrowser(platform)
            let agent = "Mozilla/5.0 (Teapot)"
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            let back = try await browser.post(form.action, form: form.fields, headers: [("User-Agent", agent)])
            let code = try #require(back["code"])
            let sid = try claims(of: try await browser.redeem(code, request).string("access_token"))["sid"] as? String ?? ""
            let shown = try await platform.call("GET", "/tenants/acme/sessions/\(sid)")
            #expect(shown.string("user_agent") == agent)
            #expect(shown.string("address") == "127.0.0.1")
        }
        #expect(Device(userAgent: "a\u{0}b\u{1B}[31mc\u{e9}").userAgent == "ab[31mc")
        #expect(Device(userAgent: String(repeating: "x", count: 5000)).userAgent?.count == 200)
        #expect(Device(userAgent: "\u{1}").userAgent == nil)
    }
}
