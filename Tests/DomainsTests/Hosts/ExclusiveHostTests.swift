import Encoding
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Server

@Suite("Own hosts: the old address")
struct ExclusiveHostTests {
    @Test("when the old address is off, it and its tokens are refused; sessions continue at the host")
    func off() async throws {
        try await OwnHost.run { own in
            let (browser, old, new) = (own.browser(), TestBrowser.Request(own.platform.acme), TestBrowser.Request(own.acme))
            let tokens = try await browser.tokens(old)
            let started = try await browser.atApple(try await browser.authorize(old), person: "new")
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            #expect(try await own.change(id, ["is_primary": true, "is_exclusive": true]).status == 200)

            let issuer = own.platform.acme.issuer
            for path in ["/.well-known/openid-configuration", "/oauth2/jwks", "/oauth2/authorize", "/device/approval"] {
                #expect(try await browser.get(issuer + path).status == 404, "\(path)")
            }
            #expect(try await browser.redeem("x", old).status == 404)
            let page = try await browser.get("\(issuer)/device?user_code=bcdf-ghjk")
            #expect(page.status == 302 && page.location == "\(OwnHost.url)/device?user_code=BCDF-GHJK", "\(page.location ?? page.body)")
            #expect(try await browser.get("\(issuer)/device?user_code=https://evil.test").location == "\(OwnHost.url)/device")
            #expect(try await own.platform.call("GET", "/tenants/acme").string("issuer") == OwnHost.url)
            #expect(
                try await browser.get(TestBrowser.Request.url("\(TestPlatform.publicURL)/auth/apple/authorize", old.parameters)).isPage(400)
            )
            let access = tokens["access_token"] as? String
            #expect(try await browser.userInfo(access, of: own.acme).status == 401)
            let refreshed = try await browser.refresh(tokens["refresh_token"] as? String ?? "", new)
            #expect(refreshed.status == 200, "\(refreshed.body)")
            #expect(try await browser.userInfo(refreshed.string("access_token"), of: own.acme).status == 200)
            // A sign-in that started before ends at the old Return URL, which saves the name. The application cannot use its code there.
            let code = try await browser.callback(started)["code"]
            #expect(code != nil)
            #expect(try await browser.redeem(code ?? "", old).status == 404)
            // Apple's notifications are still read there: a made-up one is invalid, and not unknown.
            let notification = try await browser.send(
                "POST", "\(issuer)/auth/apple/notifications", headers: [("Content-Type", "application/json")], body: #"{"payload":"x"}"#)
            #expect(notification.status == 400)

            #expect(try await own.change(id, ["is_exclusive": false]).status == 200)
            #expect(try await browser.get("\(issuer)/.well-known/openid-configuration").status == 200)
            #expect(try await browser.userInfo(access, of: own.acme).status == 200)
        }
    }

    @Test("triggers notify the server of a proof, and of each change of the addresses")
    func notified() async throws {
        try await OwnHost.unclaimed { own in
            let (browser, issuer, discovery) = (own.browser(), own.platform.acme.issuer, "/.well-known/openid-configuration")
            #expect(try await browser.get(OwnHost.url + discovery).status == 404)
            let created = try await own.create()
            try own.publish(created)
            // Both tables have an older answer.
            #expect(try await browser.get(issuer + discovery).status == 200)
            #expect(try await own.verify(created.resourceID).string("outcome") == "found")
            try await eventually("the host serves the tenant") { try await browser.get(OwnHost.url + discovery).status == 200 }
            // Not by requests, after which this process reads the tenant again without a notification.
            for (change, shown, status) in [
                ("is_primary = true", OwnHost.url, 200), ("is_primary = false", issuer, 200), ("is_primary = true", OwnHost.url, 200),
                ("is_exclusive = true", OwnHost.url, 404), ("is_exclusive = false", OwnHost.url, 200),
            ] {
                try await own.set(change)
                try await eventually("the issuer is that of the primary domain, after \(change)") {
                    try await own.platform.call("GET", "/tenants/acme").string("issuer") == shown
                }
                try await eventually("the old address is off or on, after \(change)") {
                    try await browser.get(issuer + discovery).status == status
                }
            }
        }
    }

    @Test("an id_token of an address that is gone still signs its user out; a refresh at the other one then gives a new id_token")
    func hints() async throws {
        try await OwnHost.run { own in
            let (browser, old, new) = (own.browser(), TestBrowser.Request(own.platform.acme), TestBrowser.Request(own.acme))
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            #expect(try await own.platform.call("PATCH", "/tenants/acme", ["single_sign_on": true]).status == 200)
            try await own.settle()
            let (atOld, atHost) = (try await own.browser().tokens(old), try await own.browser().tokens(new))
            // The first and the last address of a session goes.
            func move(_ tokens: [String: any Sendable], to request: TestBrowser.Request) async throws {
                let hint = try #require(tokens["id_token"] as? String)
                let refreshed = try await browser.refresh(tokens["refresh_token"] as? String ?? "", request)
                #expect(try claims(of: refreshed.string("id_token"))["iss"] as? String == request.tenant.issuer, "\(refreshed.body)")
                let pushed = try await browser.post(
                    "\(request.tenant.issuer)/oauth2/par",
                    form: request.parameters
                        + [("client_secret", request.application.client_secret ?? ""), ("id_token_hint", hint)])
                #expect(pushed.status == 201, "\(pushed.body)")
                let page = try await browser.get("\(request.tenant.issuer)/oauth2/logout?id_token_hint=\(hint)")
                #expect(page.status == 200, "\(page.body)")
                let ended = try await browser.refresh(refreshed.string("refresh_token") ?? "", request)
                #expect(ended.isOAuthError(400, "invalid_grant"), "\(ended.body)")
            }
            #expect(try await own.change(id, ["is_primary": true, "is_exclusive": true]).status == 200)
            try await move(atOld, to: new)
            #expect(try await own.platform.call("DELETE", "/tenants/acme/domains/\(id)").status == 204)
            try await own.settle()
            try await move(atHost, to: old)
            // Its keys sign no other token that is one.
            let access = try await browser.tokens(old)["access_token"] as? String ?? ""
            #expect(try await browser.get("\(own.platform.acme.issuer)/oauth2/logout?id_token_hint=\(access)").isPage(400))
        }
    }

    @Test("Mushu's management of providers is at the host, and at the old address until it is off")
    func mushu() async throws {
        try await OwnHost.run { own in
            let client = own.acme.applications[1].client_id
            let key = [("Authorization", "Bearer \(own.acme.api_keys[0].secret)")]
            func statuses() async throws -> [Int] {
                var found: [Int] = []
                for issuer in [own.platform.acme.issuer, OwnHost.url] {
                    let url = "\(issuer)/mushu/\(client)/apps/\(client)/auth-providers/apple"
                    found.append(try await own.browser().get(url, headers: key).status)
                }
                return found
            }
            #expect(try await statuses() == [200, 200])
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            #expect(try await own.change(id, ["is_primary": true, "is_exclusive": true]).status == 200)
            #expect(try await statuses() == [404, 200])
        }
    }

    @Test("with the old address off, the platform's callback gives applications on a device no tokens")
    func native() async throws {
        try await OwnHost.run { own in
            let url = "\(TestPlatform.publicURL)/auth/apple/callback"
            let body = #"{"client_id":"\#(own.platform.acme.applications[1].client_id)","id_token":"x"}"#
            func send() async throws -> TestBrowser.Answer {
                try await own.browser().send("POST", url, headers: [("Content-Type", "application/json")], body: body)
            }
            #expect(try await send().status == 400)
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            #expect(try await own.change(id, ["is_primary": true, "is_exclusive": true]).status == 200)
            #expect(try await send().isOAuthError(401, "invalid_client"))
        }
    }

    @Test("the issuer of a tenant is that of its primary domain, wherever it is shown")
    func issuer() async throws {
        try await OwnHost.run { own in
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            for (isPrimary, issuer) in [(false, own.platform.acme.issuer), (true, OwnHost.url)] {
                #expect(try await own.change(id, ["is_primary": isPrimary]).status == 200)
                #expect(try await own.platform.call("GET", "/tenants/acme").string("issuer") == issuer)
                let listed = try await own.platform.call("GET", "/tenants").elements
                #expect(listed.first { $0["slug"] as? String == "acme" }?["issuer"] as? String == issuer)
                #expect(listed.first { $0["slug"] as? String == "globex" }?["issuer"] as? String == own.platform.globex.issuer)
            }
            #expect(try await own.platform.call("POST", "/tenants/acme/shared-connection/activate").string("issuer") == OwnHost.url)
        }
    }

    @Test("a connection and its check show the values for Apple's portal at the old address and at the host")
    func portal() async throws {
        try await OwnHost.run { own in
            let list = try await own.platform.call("GET", "/tenants/acme/connections")
            let id = try #require(list.elements.first?["id"] as? String)
            let domain = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            for (isExclusive, address) in [(false, own.platform.acme.issuer), (true, OwnHost.url)] {
                #expect(try await own.change(domain, ["is_primary": true, "is_exclusive": isExclusive]).status == 200)
                _ = try await own.platform.ownerPool.run("UPDATE connection SET check_claimed_at = NULL")
                for (method, path) in [("GET", ""), ("POST", "/check")] {
                    let answer = try await own.platform.call(method, "/tenants/acme/connections/\(id)\(path)")
                    let portal = answer.json["apple_portal"] as? [String: Any]
                    #expect(portal?["return_url"] as? String == "\(address)/auth/apple/callback", "\(answer.body)")
                    #expect(portal?["notification_url"] as? String == "\(address)/auth/apple/notifications")
                    #expect(portal?["domain"] as? String == (isExclusive ? OwnHost.name : "login.test"))
                    #expect(
                        portal?["own_hosts"] as? [[String: String]] == [
                            [
                                "domain": OwnHost.name, "return_url": "\(OwnHost.url)/auth/apple/callback",
                                "notification_url": "\(OwnHost.url)/auth/apple/notifications", "state": "active",
                            ]
                        ])
                }
            }
        }
    }

    @Test("a logout at the old address tells an application of the host the issuer that it knows")
    func frontchannel() async throws {
        try await OwnHost.run { own in
            #expect(try await own.platform.call("PATCH", "/tenants/acme", ["single_sign_on": true]).status == 200)
            _ = try await own.platform.ownerPool.run("UPDATE application SET frontchannel_logout_uri = 'https://app.test/out'")
            try await own.settle()
            let browser = own.browser()
            for tenant in [own.acme, own.platform.acme] {
                let hint = try await browser.tokens(.init(tenant))["id_token"] as? String ?? ""
                let other = tenant.issuer == OwnHost.url ? own.platform.acme.issuer : OwnHost.url
                let page = try await browser.get("\(other)/oauth2/logout?id_token_hint=\(hint)")
                let issuer = tenant.issuer.replacing(":", with: "%3A").replacing("/", with: "%2F")
                #expect(page.body.contains("https://app.test/out?iss=\(issuer)&amp;sid="), "\(page.body)")
            }
        }
    }

    @Test("an application that refreshes at the old address while the tenant has no domain gets that issuer at a later logout")
    func refreshedWithoutDomain() async throws {
        try await OwnHost.run { own in
            #expect(try await own.platform.call("PATCH", "/tenants/acme", ["single_sign_on": true]).status == 200)
            _ = try await own.platform.ownerPool.run("UPDATE application SET frontchannel_logout_uri = 'https://app.test/out'")
            try await own.settle()
            let browser = own.browser()
            let tokens = try await browser.tokens(.init(own.acme))
            let id = try #require(try await own.platform.call("GET", "/tenants/acme/domains").elements.first?["id"] as? String)
            #expect(try await own.platform.call("DELETE", "/tenants/acme/domains/\(id)").status == 204)
            try await own.settle()
            let refreshed = try await browser.refresh(tokens["refresh_token"] as? String ?? "", .init(own.platform.acme))
            #expect(refreshed.status == 200, "\(refreshed.body)")
            _ = try await own.activate(OwnHost.name)
            let page = try await browser.get("\(OwnHost.url)/oauth2/logout?id_token_hint=\(refreshed.string("id_token") ?? "")")
            let issuer = own.platform.acme.issuer.replacing(":", with: "%3A").replacing("/", with: "%2F")
            #expect(page.body.contains("https://app.test/out?iss=\(issuer)&amp;sid="), "\(page.status) \(page.body)")
        }
    }

    @Test("a logout token has the issuer of the address at which the application got its tokens")
    func logoutTokens() async throws {
        try await WebhookReceiver.run { receiver in
            try await OwnHost.run({ $0.allowsPrivateWebhooks = true }) { own in
                _ = try await own.platform.ownerPool.run("UPDATE application SET backchannel_logout_uri = \(receiver.url)")
                try await own.settle()
                let browser = own.browser()
                for tenant in [own.acme, own.platform.acme] {
                    let tokens = try await browser.tokens(.init(tenant))
                    let before = receiver.received.count
                    let hint = tokens["id_token"] as? String ?? ""
                    _ = try await browser.get("\(tenant.issuer)/oauth2/logout?id_token_hint=\(hint)")
                    try await eventually("the logout token arrives") { receiver.received.count > before }
                    #expect(try claims(of: receiver.received.last?.form?["logout_token"])["iss"] as? String == tenant.issuer)
                }
                // The session of a deleted user is gone when its logout token is sent.
                for (number, moves) in [false, true].enumerated() {
                    let tokens = try await browser.tokens(.init(moves ? own.platform.acme : own.acme))
                    if moves {
                        let refreshed = try await browser.refresh(tokens["refresh_token"] as? String ?? "", .init(own.acme))
                        #expect(refreshed.status == 200, "\(refreshed.body)")
                    }
                    let user = try #require(try claims(of: tokens["id_token"] as? String)["sub"] as? String)
                    let before = receiver.received.count
                    #expect(try await own.platform.call("DELETE", "/tenants/acme/users/\(user)").status == 204, "\(number)")
                    try await eventually("the logout token arrives") { receiver.received.count > before }
                    #expect(try claims(of: receiver.received.last?.form?["logout_token"])["iss"] as? String == OwnHost.url)
                }
            }
        }
    }
}
