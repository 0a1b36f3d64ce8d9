import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Approve device")
struct ApproveDeviceTests {
    @Test("an approval gives the device a session with its own address and program; it is billed once, as one login", arguments: [0, 1])
    func approved(application: Int) async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform, application: application)
            let codes = try await client.codes([("scope", "openid email")])
            let page = try await client.signIn(try await client.show(codes.user), person: "Ada Lovelace")
            let done = try await client.press("approval", on: page)
            #expect(done.status == 200, "\(done.body)")
            #expect(done.body.contains("The device is signed in"))
            #expect(try await platform.countBilled() == 0)

            let tokens = try await client.poll(codes.device)
            #expect(tokens.status == 200, "\(tokens.body)")
            #expect(tokens.header("Cache-Control") == "no-store")
            #expect(tokens.string("scope") == "openid email")
            let id = try claims(of: tokens.string("id_token"))
            #expect(id["aud"] as? String == client.request.application.client_id)
            #expect(id["email"] is String)
            #expect(id["name"] == nil)
            #expect(id["nonce"] == nil)
            #expect(try await client.browser.userInfo(tokens.string("access_token"), of: platform.acme).status == 200)
            #expect(try await client.browser.refresh(tokens.string("refresh_token") ?? "", client.request).status == 200)
            let session = try await platform.ownerPool.run("SELECT user_agent, address, apple_team_id FROM session")[0]
            #expect(try session.get("user_agent", as: String?.self) == DeviceClient.userAgent)
            #expect(try session.get("address", as: String?.self) == "127.0.0.1")
            #expect(try session.get("apple_team_id", as: String?.self) == platform.own.team)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("only the form of this server approves: not another site, not another browser, not an approval without a login")
    func forged() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let page = try await client.signIn(try await client.show(codes.user))
            let form = try #require(page.form("approval"))
            for headers in [
                [("Sec-Fetch-Site", "cross-site"), ("Origin", "https://evil.test")], [("Sec-Fetch-Site", "same-site")],
                [("Origin", "https://login.test.evil.test")], [("Origin", "null")],
            ] { #expect(try await client.press("approval", on: page, headers: headers).isPage(400)) }
            // A victim's browser has no cookie of the attacker's device, even if the attacker knows the whole form.
            #expect(try await client.press("approval", on: page, TestBrowser(platform)).isPage(400))
            let victim = TestBrowser(platform)
            victim.cookies = client.browser.cookies.mapValues { _ in TestBrowser.randomText() }
            #expect(try await client.press("approval", on: page, victim).isPage(400))
            for fields in [
                [("ticket", form["ticket"] ?? "")], [("login", form["login"] ?? "")], [],
                [("ticket", form["ticket"] ?? ""), ("login", (form["login"] ?? "") + "A")],
                [("ticket", (form["ticket"] ?? "") + "\u{301}"), ("login", form["login"] ?? "")],
            ] {
                let answer = try await client.browser.post("\(client.page)/approval", form: fields, headers: DeviceClient.own)
                #expect(answer.isPage(400), "\(answer.body)")
            }
            #expect(try await client.pollLater(codes.device).isOAuthError(400, "authorization_pending"))
            #expect(try await client.press("approval", on: page).status == 200)
        }
    }

    @Test("a second decision changes nothing, and a device that has expired since then gets nothing")
    func once() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let other = TestBrowser(platform)
            let mine = try await client.signIn(try await client.show(codes.user))
            let theirs = try await client.signIn(try await client.show(codes.user, other), other)
            #expect(try await client.press("approval", on: mine).status == 200)
            #expect(try await client.press("approval", on: theirs, other).isPage(400))
            #expect(try await client.press("refusal", on: theirs, other).isPage(400))
            #expect(try await client.poll(codes.device).status == 200)

            let late = try await client.codes()
            let page = try await client.signIn(try await client.show(late.user))
            _ = try await platform.ownerPool.run("UPDATE device_authorization SET expires_at = now() WHERE state = 'pending'")
            #expect(try await client.press("approval", on: page).isPage(400))
            #expect(try await client.poll(late.device).isOAuthError(400, "expired_token"))
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("the same form again, by a double click or a reload, gets the same page, also after the device has its tokens")
    func reload() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let page = try await client.signIn(try await client.show(codes.user))
            async let (one, two) = (client.press("approval", on: page), client.press("approval", on: page))
            for answer in [try await one, try await two] { #expect(answer.status == 200, "\(answer.body)") }
            #expect(try await client.poll(codes.device).status == 200)
            let again = try await client.press("approval", on: page)
            #expect(again.status == 200 && again.body.contains("The device is signed in"), "\(again.body)")
            #expect(try await client.press("refusal", on: page).isPage(400))
            #expect(try await platform.count("device_authorization", where: "state = 'redeemed'") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a hard budget that is used up stops the approval")
    func budget() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let page = try await client.signIn(try await client.show(codes.user))
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 1, "hard": true]).status == 200)
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
            try await platform.rollUp()
            try await eventually("the refusal is in effect") {
                try await TestBrowser(platform).authorize(.init(platform.acme)).status == 503
            }
            #expect(try await client.press("approval", on: page).isPage(503))
            #expect(try await client.poll(codes.device).isOAuthError(400, "authorization_pending"))
            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 5, "hard": true]).status == 200)
            try await eventually("the refusal is over") { try await client.press("approval", on: page).status == 200 }
        }
    }

    @Test("the page describes an application of a third party, and the approval is the consent; a revocation ends it before the tokens")
    func thirdParty() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let path = "/tenants/acme/applications/\(client.request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["is_third_party": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            for isRevoked in [false, true] {
                let codes = try await client.codes([("scope", "openid email offline_access")])
                let page = try await client.signIn(try await client.show(codes.user), person: "Ada Lovelace")
                #expect(page.isDevicePage(200))
                for text in ["belongs to a third party", "your user ID", "your email address", "access while you are not using it"] {
                    #expect(page.body.contains(text), "\(text)")
                }
                #expect(!page.body.contains("your name"))
                #expect(try await platform.count("consent") == (isRevoked ? 1 : 0))
                for _ in 0..<2 { #expect(try await client.press("approval", on: page).status == 200) }
                #expect(try await platform.audited("consent.given").count == 1)
                guard isRevoked else {
                    #expect(try await client.poll(codes.device).status == 200)
                    continue
                }
                let users = try await platform.call("GET", "/tenants/acme/users")
                let consents = "/tenants/acme/users/\(users.data.first?["id"] as? String ?? "")/consents"
                let consent = try #require(try await platform.call("GET", consents).data.first?["id"] as? String)
                #expect(try await platform.call("DELETE", "\(consents)/\(consent)").status == 204)
                #expect(try await client.poll(codes.device).isOAuthError(400, "access_denied"))
                // A form from before the revocation allows nothing.
                #expect(try await client.press("approval", on: page).isPage(400))
            }
            #expect(try await platform.audited("consent.given").count == 1)
        }
    }

    @Test("a page that described no third party approves no application of one")
    func undescribed() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let path = "/tenants/acme/applications/\(client.request.application.client_id)"
            let codes = try await client.codes()
            let page = try await client.signIn(try await client.show(codes.user))
            #expect(try await platform.call("PATCH", path, ["is_third_party": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await client.press("approval", on: page).isPage(400))
            #expect(try await client.pollLater(codes.device).isOAuthError(400, "authorization_pending"))
            #expect(try await platform.count("consent") == 0)
            let described = try await client.signIn(try await client.show(codes.user))
            #expect(try await client.press("approval", on: described).status == 200)
            #expect(try await platform.count("consent") == 1)
        }
    }

    @Test("a user who refuses the device, or was signed out since the sign-in, gives no consent")
    func noConsent() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let path = "/tenants/acme/applications/\(client.request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["is_third_party": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let refused = try await client.signIn(try await client.show(try await client.codes().user))
            #expect(try await client.press("refusal", on: refused).status == 200)
            let codes = try await client.codes()
            let page = try await client.signIn(try await client.show(codes.user))
            #expect(try await platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme").status == 200)
            #expect(try await client.press("approval", on: page).isPage(400))
            #expect(try await client.poll(codes.device).isOAuthError(400, "authorization_pending"))
            #expect(try await platform.count("consent") == 0)
        }
    }

    @Test("an approval is logged with its session and the browser's address, and without a code")
    func logged() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let page = try await client.signIn(try await client.show(codes.user))
            let form = try #require(page.form("approval"))
            try await SecondServer.run(beside: platform) { second in
                let cookies = client.browser.cookies.map { "\($0)=\($1)" }.joined(separator: "; ")
                let answer = try await TestBrowser(publicURL: TestPlatform.publicURL, address: second.address).post(
                    TestPlatform.publicURL + form.action, form: form.fields, headers: DeviceClient.own + [("Cookie", cookies)])
                #expect(answer.status == 200, "\(answer.body)")
                let lines = second.log.text.split(separator: "\n").filter { $0.hasPrefix("device approved") }
                #expect(lines.count == 1)
                let sid = try claims(of: try await client.poll(codes.device).string("access_token"))["sid"] as? String ?? "none"
                for text in ["address=127.0.0.1", "session=\(sid)", "tenant=acme", "request_id="] {
                    #expect(lines.first?.contains(text) == true, "\(text): \(lines)")
                }
                for secret in [codes.user, codes.device, form["ticket"] ?? "x"] { #expect(!second.log.text.contains(secret)) }
            }
        }
    }

    @Test("a setting that is withdrawn, and a suspended tenant, stop the approval")
    func withdrawn() async throws {
        try await TestPlatform.run { platform in
            let client = try await DeviceClient(platform)
            let codes = try await client.codes()
            let page = try await client.signIn(try await client.show(codes.user))
            try await client.allow(false)
            #expect(try await client.press("approval", on: page).isPage(400))
            #expect(try await client.poll(codes.device).isOAuthError(400, "unauthorized_client"))
            try await platform.suspend(platform.acme)
            try await eventually("the server knows the suspension") {
                try await client.press("approval", on: page).isPage(404)
            }
        }
    }
}
