import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Consent to an application of a third party")
struct GiveConsentTests {
    @Test("a page names the application, the account and what it receives; Allow continues without Apple, and counts for prompt=none")
    func story() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn()
            let (page, request) = try await sso.ask(at: 2)
            #expect(sso.asksForConsent(page))
            for text in [
                request.application.name, "Ada Lovelace", "your name", "your email address", "your user ID", "Use another Apple Account",
            ] { #expect(page.body.contains(text), "\(text)") }
            #expect(!page.body.contains("<script") && page.body.contains("access while you are not using it"))
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self' https:;") == true)
            #expect(try await sso.platform.count("consent") == 0)

            let login = try await sso.login(try await sso.decide(.allow, page), request)
            #expect(login.user == first.user && login.authTime == first.authTime)
            #expect(login.claims["nonce"] as? String == request.nonce)
            #expect(try await login.lasts())
            #expect(try await sso.signInSilently(at: 2).user == first.user)
            #expect(try await sso.signInSilently([:], at: 2).user == first.user)
            #expect(try await sso.platform.countBilled(where: "kind = 'login'") == 1)
            #expect(try await sso.platform.count("session", where: "is_silent") == 3)
            let audited = try await sso.platform.audited("consent.given")
            #expect(audited.map(\.actor) == [request.application.client_id])
            // Another user has not allowed it.
            let other = sso.elsewhere
            _ = try await other.signIn("Grace Hopper")
            #expect(try await other.needsConsent(at: 2))
        }
    }

    @Test("the consent is for the scopes and APIs of the request; a request for more asks again, and both count then")
    func more() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let client = sso.platform.acme.applications[2].client_id
            let api: [String: any Sendable] = [
                "name": "Orders <API>", "audience": "https://orders.test", "scopes": ["all:read"], "applications": [["id": client]],
            ]
            #expect(try await sso.platform.call("POST", "/tenants/acme/apis", api).status == 201)
            sso.platform.installation.directory.forgetAll(isFresh: true)
            let first = try await sso.signIn()
            _ = try await sso.allow(["scope": "openid"])
            #expect(try await sso.needsConsent(["scope": "openid email"], at: 2))
            _ = try await sso.allow(["scope": "email openid"])
            let orders = ["scope": "openid offline_access", "resource": "https://orders.test"]
            let page = try await sso.ask(orders, at: 2).answer
            for text in ["access to <bdi>Orders &lt;API&gt;</bdi> on your behalf", "access while you are not using it"] {
                #expect(page.body.contains(text), "\(page.body)")
            }
            #expect(!page.body.contains("your name"))
            _ = try await sso.allow(orders)
            for changes in [["scope": "openid"], ["scope": "openid email offline_access"], orders] as [[String: String?]] {
                #expect(try await sso.ask(changes.merging(["prompt": "none"]) { $1 }, at: 2).answer["code"] != nil, "\(changes)")
            }
            let listed = try await sso.consents(of: first.user)
            #expect(listed.map { $0["scope"] as? String } == ["email offline_access openid"])
            #expect((listed.first?["api_ids"] as? [String])?.count == 1)
            #expect(try await sso.platform.audited("consent.given").count == 3)
        }
    }

    @Test("scopes of different APIs with the same name stay apart, and the page shows them")
    func apart() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let client = sso.platform.acme.applications[2].client_id
            for name in ["a", "b"] {
                let api: [String: any Sendable] = [
                    "name": "API \(name)", "audience": "https://\(name).test", "scopes": ["read", "write"],
                    "applications": [["id": client]],
                ]
                #expect(try await sso.platform.call("POST", "/tenants/acme/apis", api).status == 201)
            }
            sso.platform.installation.directory.forgetAll(isFresh: true)
            _ = try await sso.signIn()
            func access(_ scope: String, to name: String) -> [String: String?] {
                ["scope": "openid \(scope)", "resource": "https://\(name).test"]
            }
            #expect(try await sso.ask(access("read", to: "a"), at: 2).answer.body.contains("<bdi>API a (read)</bdi>"))
            _ = try await sso.allow(access("read", to: "a"))
            _ = try await sso.allow(access("write", to: "b"))
            #expect(try await sso.needsConsent(access("write", to: "a"), at: 2))
            #expect(try await sso.needsConsent(access("read", to: "b"), at: 2))
            #expect(try await sso.ask(access("write", to: "b").merging(["prompt": "none"]) { $1 }, at: 2).answer["code"] != nil)
        }
    }

    @Test("a form from before a revocation gives nothing, and the page asks again")
    func revokedMeanwhile() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn()
            _ = try await sso.allow(["scope": "openid"])
            let (page, _) = try await sso.ask(["scope": "openid email"], at: 2)
            #expect(sso.asksForConsent(page))
            let consent = try #require(try await sso.consents(of: first.user).first?["id"] as? String)
            let revoked = try await sso.platform.call("DELETE", "/tenants/acme/users/\(first.user)/consents/\(consent)")
            #expect(revoked.status < 300, "\(revoked.body)")
            #expect(sso.asksForConsent(try await sso.decide(.allow, page)))
            #expect(try await sso.needsConsent(["scope": "openid"], at: 2))
        }
    }

    @Test("prompt=consent asks again; other prompts, and a browser without a sign-in, lead to Apple first")
    func prompts() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            _ = try await sso.signIn()
            _ = try await sso.allow()
            let again = try await sso.ask(["prompt": "consent"], at: 2)
            #expect(sso.asksForConsent(again.answer))
            _ = try await sso.login(try await sso.decide(.allow, again.answer), again.request)
            for prompt in ["login", "select_account", "login consent"] {
                #expect(sso.goesToApple(try await sso.ask(["prompt": prompt], at: 2).answer), "\(prompt)")
            }
            // The tenant's own applications need no consent.
            #expect(sso.goesToApple(try await sso.ask(["prompt": "consent"]).answer))
            // A browser without a sign-in.
            #expect(sso.goesToApple(try await sso.elsewhere.ask(["prompt": "consent"], at: 2).answer))
            #expect(sso.goesToApple(try await sso.elsewhere.ask(at: 2).answer))
        }
    }

    @Test("the response keeps the mode, and any state")
    func returned() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            _ = try await sso.signIn()
            for state in ["", "a b&\r\n<\u{600}>\"", String(repeating: "é", count: 2048)] {
                let page = try await sso.ask(["state": state.isEmpty ? nil : state, "prompt": "consent"], at: 2).answer
                let back = try await sso.decide(.allow, page)
                #expect(back["code"] != nil && back["state"] == (state.isEmpty ? nil : state), "\(state.prefix(10)) \(back.body)")
                #expect(back["iss"] == sso.platform.acme.issuer)
            }
            let posted = try await sso.ask(["response_mode": "form_post", "prompt": "consent"], at: 2)
            let back = try await sso.decide(.allow, posted.answer)
            #expect(back.status == 200 && back.body.contains("name=\"code\"") && back.body.contains(posted.request.state))
        }
    }

    @Test("a form of another site, of another browser, or of another user is refused, and records nothing")
    func forged() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            _ = try await sso.signIn()
            let page = try await sso.ask(at: 2).answer
            for headers in [
                [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "https://evil.test")],
                [("Origin", "null")],
            ] { #expect(try await sso.decide(.allow, page, headers: headers).isPage(400), "\(headers)") }
            let other = sso.elsewhere
            #expect(try await other.decide(.allow, page).isPage(400))
            _ = try await other.signIn("Grace Hopper")
            #expect(try await other.decide(.allow, page).isPage(400))
            let same = sso.elsewhere
            _ = try await same.signIn()
            #expect(try await same.decide(.allow, page).isPage(400))
            #expect(try await sso.platform.count("consent") == 0)
            // Another user has replaced the first one in this browser.
            _ = try await sso.signIn("Grace Hopper", ["prompt": "login"])
            #expect(try await sso.decide(.allow, page).isPage(400))
            #expect(try await sso.platform.count("consent") == 0)
        }
    }

    @Test("an altered ticket or state, and a removed address, are refused")
    func altered() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            _ = try await sso.signIn()
            let page = try await sso.ask(at: 2).answer
            let ticket = try #require(TestBrowser.AppleForm(html: page.body)?["ticket"])
            for changed in [ticket + "x", String(ticket.dropLast(4)), "x", ""] {
                #expect(try await sso.decide(.allow, page, replacing: ["ticket": changed]).isPage(400), "\(changed)")
            }
            for state in ["eA", "", nil] as [String?] {
                #expect(try await sso.decide(.allow, page, replacing: ["state": state]).isPage(400), "\(state ?? "nil")")
            }
            #expect(try await sso.platform.count("consent") == 0)
            _ = try await sso.platform.ownerPool.run(
                "UPDATE application SET redirect_uris = '{https://other.test/}' WHERE is_third_party")
            sso.platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await sso.decide(.allow, page).isPage(400))
        }
    }

    @Test("the same form again gets another code, and records nothing new")
    func replayed() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn()
            let (page, request) = try await sso.ask(at: 2)
            let (one, two) = (try await sso.decide(.allow, page), try await sso.decide(.allow, page))
            #expect(one["code"] != nil && two["code"] != nil && one["code"] != two["code"])
            for back in [one, two] { #expect(try await sso.login(back, request).user == first.user) }
            #expect(try await sso.consents(of: first.user).count == 1)
            #expect(try await sso.platform.audited("consent.given").count == 1)
        }
    }

    @Test("if the sign-in of the browser is too old for the request, or has ended, the user needs Apple")
    func ended() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn()
            let aged = try await sso.ask(["max_age": "600"], at: 2).answer
            try await sso.change("authenticated_at = authenticated_at - interval '1000 seconds'")
            #expect(sso.goesToApple(try await sso.decide(.allow, aged)))
            let page = try await sso.ask(at: 2).answer
            _ = try await sso.platform.call("POST", "/tenants/acme/users/\(first.user)/sessions/revoke")
            #expect(sso.goesToApple(try await sso.decide(.allow, page)))
            #expect(try await sso.platform.count("consent") == 0)
        }
    }

    @Test("the end of all tokens of a user ends the consent, and a new one has only the new scopes")
    func tokensEnded() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn()
            _ = try await sso.allow()
            _ = try await sso.platform.call("POST", "/tenants/acme/users/\(first.user)/sessions/revoke")
            #expect(try await sso.consents(of: first.user).isEmpty)
            _ = try await sso.signIn()
            #expect(try await sso.needsConsent(at: 2))
            _ = try await sso.allow(["scope": "openid"])
            #expect(try await sso.consents(of: first.user).map { $0["scope"] as? String } == ["openid"])
            #expect(try await sso.needsConsent(at: 2))
        }
    }

    @Test("a consent ends with its user and with its application")
    func deleted() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let ada = try await sso.signIn()
            _ = try await sso.allow()
            let other = sso.elsewhere
            let grace = try await other.signIn("Grace Hopper")
            _ = try await other.allow()
            #expect(try await sso.platform.count("consent") == 2)
            #expect(try await sso.platform.call("DELETE", "/tenants/acme/users/\(ada.user)").status == 204)
            #expect(try await sso.platform.count("consent") == 1)
            let client = sso.platform.acme.applications[2].client_id
            #expect(try await sso.platform.call("DELETE", "/tenants/acme/applications/\(client)").status == 204)
            #expect(try await sso.consents(of: grace.user).isEmpty)
            #expect(try await sso.platform.count("consent") == 0)
        }
    }

    @Test("a posted or pushed request has the consent page in the language that it asks for", arguments: ["post", "push"])
    func language(_ way: String) async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            _ = try await sso.signIn()
            let request = TestBrowser.Request(sso.platform.acme, application: 2)
            let endpoint = "\(request.tenant.issuer)/oauth2"
            let parameters = request.parameters + [("ui_locales", "he")]
            let accept = [("Accept-Language", "fr")]
            let page: TestBrowser.Answer
            if way == "post" {
                page = try await sso.browser.post("\(endpoint)/authorize", form: parameters, headers: accept)
            } else {
                let pushed = try await sso.browser.post(
                    "\(endpoint)/par", form: parameters + [("client_secret", request.application.client_secret ?? "")])
                page = try await sso.browser.get(
                    TestBrowser.Request.url(
                        "\(endpoint)/authorize",
                        [("client_id", request.application.client_id), ("request_uri", pushed.string("request_uri") ?? "")]),
                    headers: accept)
            }
            #expect(page.header("Content-Language") == "he" && page.body.contains("/oauth2/consent?ui_locales=he"), "\(page.body)")
            // The page of an error of its form, too.
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            let refused = try await sso.browser.post(TestPlatform.publicURL + form.action, form: [("ticket", "x")], headers: accept)
            #expect(refused.isPage(400) && refused.header("Content-Language") == "he")
        }
    }
}
