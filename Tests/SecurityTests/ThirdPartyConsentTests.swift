import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// A third party wants the data of a user who has not allowed it, or more than the user has allowed.
@Suite("Attack: an application of a third party without consent")
struct ThirdPartyConsentTests {
    /// Acme's application at a place, which belongs to the attacker.
    private static func run(
        at place: Int = 0, _ settings: [String: any Sendable] = [:],
        _ body: @Sendable @escaping (TestPlatform, TestBrowser, TestBrowser.Request) async throws -> Void
    ) async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme, application: place)
            let path = "/tenants/acme/applications/\(request.application.client_id)"
            let changed = try await platform.call("PATCH", path, settings.merging(["is_third_party": true]) { $1 })
            try #require(changed.status == 200, "\(changed.body)")
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(platform, TestBrowser(platform), request)
        }
    }

    @Test("no parameter of the request leads past the page", arguments: [false, true])
    func parameters(hasSingleSignOn: Bool) async throws {
        try await Self.run { platform, browser, request in
            try await platform.set(["single_sign_on": hasSingleSignOn])
            let cases: [[String: String?]] = [
                [:], ["prompt": "login"], ["prompt": "select_account"], ["prompt": "login consent"], ["prompt": ""], ["provider": "apple"],
                ["max_age": "0"], ["id_token_hint": "a.b.c"], ["response_mode": "form_post"], ["scope": "openid"], ["scope": nil],
                ["ui_locales": "en"], ["screen_hint": "sign-up"],
            ]
            for changes in cases {
                let toApple = try await browser.get(request.authorizeURL(changing: changes))
                let answer = try await browser.callback(try await browser.atApple(toApple, person: "Ada Lovelace"))
                #expect(answer.asksForConsent(setsCookies: true), "\(changes) \(answer.status) \(answer.location ?? answer.body)")
                #expect(!answer.body.contains("name=\"code\""), "\(changes)")
                // With single sign-on, the user is signed in now. The next request asks without Apple.
                browser.cookies = [:]
            }
            for table in ["consent", "session"] { #expect(try await platform.count(table) == 0, "\(table)") }
        }
    }

    @Test("the sign-in that waits is neither a code nor a token, in each field and at each endpoint")
    func waitingSignIn() async throws {
        try await Self.run { platform, browser, request in
            let page = try await browser.signIn(request)
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            let values = [form["ticket"], form["login"]].compactMap { $0 } + browser.cookies.values
            #expect(values.count == 4)
            for value in values {
                #expect(try await browser.redeem(value, request).isOAuthError(400, "invalid_grant"))
                #expect(try await browser.refresh(value, request).isOAuthError(400, "invalid_grant"))
                #expect(try await browser.userInfo(value, of: platform.acme).status == 401)
            }
            // Fields of the page are not a request, and the state of Apple is not a ticket.
            let state = try #require(try await browser.authorize(request)["state"])
            #expect(try await browser.decide(.allow, on: page, replacing: ["ticket": state]).isPage(400))
            #expect(try await browser.decide(.allow, on: page, replacing: ["ticket": form["login"], "login": form["ticket"]]).isPage(400))
            for table in ["consent", "session"] { #expect(try await platform.count(table) == 0, "\(table)") }
        }
    }

    @Test("another site and another browser neither allow nor refuse for the person")
    func otherSite() async throws {
        try await Self.run { platform, browser, request in
            let page = try await browser.signIn(request)
            for decision in [TestBrowser.Decision.allow, .refuse, .otherAccount] {
                for headers in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://app.test")], [("Origin", "null")]] {
                    #expect(try await browser.decide(decision, on: page, headers: headers).isPage(400), "\(decision) \(headers)")
                }
                // The attacker's page in the victim's browser: the victim would be signed in as the attacker.
                let victim = TestBrowser(platform)
                _ = try await victim.signIn(request)
                #expect(try await victim.decide(decision, on: page).isPage(400), "\(decision)")
            }
            #expect(try await platform.count("consent") == 0)
            #expect(try await browser.decide(.allow, on: page)["code"] != nil)
        }
    }

    @Test("a consent counts only for its user, application, tenant and scopes")
    func otherConsent() async throws {
        try await Self.run { platform, browser, request in
            var small = request
            small.scope = "openid"
            #expect(try await browser.signInAndAllow(small, person: "Ada Lovelace")["code"] != nil)
            let second = TestBrowser.Request(platform.acme, application: 2)
            let path = "/tenants/acme/applications/\(second.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["is_third_party": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await browser.signIn(small, person: "Ada Lovelace")["code"] != nil)
            for (asked, person) in [(request, "Ada Lovelace"), (small, "Grace Hopper"), (second, "Ada Lovelace")] {
                #expect(try await browser.signIn(asked, person: person).asksForConsent(setsCookies: true), "\(asked.scope) \(person)")
            }
            // The page decides about its own scopes, and not about those of another page.
            let wide = try await browser.signIn(request, person: "Ada Lovelace")
            let narrow = try await browser.signIn(small, person: "Grace Hopper")
            let login = try #require(TestBrowser.AppleForm(html: wide.body)?["login"])
            #expect(try await browser.decide(.allow, on: narrow, replacing: ["login": login]).isPage(400))
        }
    }

    @Test("a device, a native application and the interfaces for other clients get nothing without consent")
    func otherWays() async throws {
        try await Self.run(at: 1, ["allows_device_grant": true, "returns_tokens_in_url": true]) { platform, browser, request in
            let client = request.application.client_id
            let phone = try await Phone.make(platform)
            platform.installation.directory.forgetAll(isFresh: true)
            let native = try await phone.authorize("Ada Lovelace")
            let refused = try await phone.send(native.body)
            #expect(refused.isOAuthError(400, "unauthorized_client") && refused.body.contains("has not allowed"), "\(refused.body)")
            // The user exists now. A deletion must last, so the id_token is used up.
            #expect(try await phone.send(native.body).isOAuthError(400, "invalid_grant"))
            let exchange = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:id_token"),
                ("subject_token", try await phone.authorize("Ada Lovelace", nonce: nil).idToken),
            ]
            let exchanged = try await browser.token(request, exchange)
            #expect(exchanged.isOAuthError(400, "unauthorized_client") && exchanged.body.contains("has not allowed"), "\(exchanged.body)")
            let base = "\(platform.acme.issuer)/mushu/\(client)/auth/apple"
            let tokens = try await browser.get(TestBrowser.Request.url("\(base)/authorize", [("redirect_uri", request.redirectURI)]))
            #expect(tokens["error"] == "unauthorized_client")
            let parameters = request.parameters.filter { $0.0 != "scope" } + [("provider", "authkit")]
            let workOS = try await browser.get(
                TestBrowser.Request.url("\(TestPlatform.publicURL)/user_management/authorize", parameters))
            let page = try await browser.callback(try await browser.atApple(workOS, person: "Ada Lovelace"))
            #expect(page.asksForConsent(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
            let codes = try await browser.post("\(platform.acme.issuer)/oauth2/device_authorization", form: [("client_id", client)])
            let grant = [
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", codes.string("device_code") ?? ""),
            ]
            #expect(try await browser.token(request, grant).isOAuthError(400, "authorization_pending"))
            for table in ["consent", "session"] { #expect(try await platform.count(table) == 0, "\(table)") }
        }
    }

    @Test("a session of the scope openid gets no name and no address at an interface that always returns them")
    func otherInterface() async throws {
        try await Self.run(at: 1) { platform, browser, request in
            for (scope, status) in [("openid", 400), ("openid profile email", 200)] {
                var asked = request
                asked.scope = scope
                let code = try #require(try await browser.signInAndAllow(asked, person: "Ada Lovelace")["code"])
                let token = try #require(try await browser.redeem(code, asked).string("refresh_token"))
                let body = ["grant_type": "refresh_token", "client_id": asked.application.client_id, "refresh_token": token]
                let answer = try await browser.send(
                    "POST", "\(TestPlatform.publicURL)/user_management/authenticate", headers: [("Content-Type", "application/json")],
                    body: String(decoding: try JSONSerialization.data(withJSONObject: body), as: UTF8.self))
                #expect(answer.status == status, "\(scope) \(answer.body)")
                #expect(answer.body.contains("Ada") == (status == 200), "\(scope)")
                // A refusal does not use the token up.
                if status == 400 { #expect(try await browser.refresh(token, asked).status == 200) }
            }
        }
    }
}
