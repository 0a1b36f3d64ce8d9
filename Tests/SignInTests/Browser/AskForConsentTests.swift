import Access
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Consent after a sign-in with Apple")
struct AskForConsentTests {
    @Test("the page names the refresh token that the application gets", arguments: [false, true])
    func refreshToken(isOnlyForScope: Bool) async throws {
        try await ThirdParty.run(["requires_offline_access": isOnlyForScope]) { _, browser, request in
            for (scope, isNamed) in [("openid", !isOnlyForScope), ("openid offline_access", true)] {
                var asked = request
                asked.scope = scope
                let page = try await browser.signIn(asked)
                #expect(page.body.contains("access while you are not using it") == isNamed, "\(scope)")
                let tokens = try await browser.redeem(try await browser.decide(.allow, on: page)["code"] ?? "", asked)
                #expect((tokens.string("refresh_token") != nil) == isNamed, "\(scope) \(tokens.body)")
            }
        }
    }

    @Test("a page asks once, after Apple's response; Allow records the consent, and the application gets its code")
    func story() async throws {
        try await ThirdParty.run { platform, browser, request in
            let page = try await ThirdParty.page(browser, request, person: "Ada Lovelace")
            for text in [
                request.application.name, "Ada Lovelace", "your name", "your email address", "your user ID", "Use another Apple Account",
            ] { #expect(page.body.contains(text), "\(text)") }
            #expect(!page.body.contains("<script"))
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self' https:;") == true)
            #expect(page.header("Referrer-Policy") == "same-origin")
            // The user is saved, and nothing else.
            #expect(try await platform.count("tenant_user") == 1)
            for table in ["consent", "session"] { #expect(try await platform.count(table) == 0, "\(table)") }
            #expect(browser.cookies.count == 2)

            let back = try await browser.decide(.allow, on: page)
            #expect(back["state"] == request.state && back["iss"] == request.tenant.issuer)
            let tokens = try await browser.redeem(try #require(back["code"], "\(back.status) \(back.body)"), request)
            let claims = try claims(of: tokens.string("id_token"))
            #expect(claims["name"] as? String == "Ada Lovelace" && claims["nonce"] as? String == request.nonce)
            #expect(try await platform.countBilled() == 1)
            #expect(try await platform.audited("consent.given").map(\.actor) == [request.application.client_id])
            // Neither the user nor the scopes of an earlier consent are asked again. Another user is.
            for changes in [[:], ["scope": "openid"], ["prompt": "login"], ["provider": "apple"]] as [[String: String?]] {
                let toApple = try await browser.get(TestBrowser.Request(platform.acme).authorizeURL(changing: changes))
                let again = try await browser.callback(try await browser.atApple(toApple, person: "Ada Lovelace"))
                #expect(again["code"] != nil, "\(changes) \(again.status)")
            }
            _ = try await ThirdParty.page(TestBrowser(platform), TestBrowser.Request(platform.acme), person: "Grace Hopper")
        }
    }

    @Test("the tenant's own applications ask nobody, and look for no consent")
    func ownApplications() async throws {
        try await ThirdParty.run { platform, browser, request in
            _ = try await platform.ownerPool.run("REVOKE ALL ON consent FROM espalier_server")
            for changes in [[:], ["prompt": "consent"], ["prompt": "login consent"]] as [[String: String?]] {
                let own = TestBrowser.Request(platform.acme, application: 1)
                let toApple = try await browser.get(own.authorizeURL(changing: changes))
                #expect(try await browser.callback(try await browser.atApple(toApple, person: "new"))["code"] != nil, "\(changes)")
            }
            // Without an answer of the database, an application of a third party gets nothing.
            #expect(try await browser.signIn(request).reports(request, "server_error"))
        }
    }

    @Test("a request for more scopes asks again, and prompt=consent always does", arguments: [false, true])
    func again(hasSingleSignOn: Bool) async throws {
        try await ThirdParty.run { platform, browser, request in
            if hasSingleSignOn { try await platform.set(["single_sign_on": true]) }
            // In a new browser each time, so that each sign-in uses Apple.
            func ask(_ changes: [String: String?]) async throws -> (TestBrowser, TestBrowser.Answer) {
                let browser = TestBrowser(platform)
                let toApple = try await browser.get(TestBrowser.Request(platform.acme).authorizeURL(changing: changes))
                return (browser, try await browser.callback(try await browser.atApple(toApple, person: "Ada Lovelace")))
            }
            let cases: [([String: String?], asks: Bool)] = [
                (["scope": "openid"], true), (["scope": "openid"], false), (["scope": "openid email"], true),
                (["scope": "email openid"], false), (["scope": "openid", "prompt": "consent"], true),
                (["scope": "openid", "prompt": "login consent"], true), (["scope": "openid", "prompt": "select_account"], false),
            ]
            for (changes, asks) in cases {
                let (browser, answer) = try await ask(changes)
                #expect(answer.asksForConsent(setsCookies: true) == asks && (answer["code"] == nil) == asks, "\(changes)")
                if asks { #expect(try await browser.decide(.allow, on: answer)["code"] != nil, "\(changes)") }
            }
            #expect(try await platform.audited("consent.given").count == 2)
        }
    }

    @Test("Refuse returns access_denied with the state and is final: no consent, no code after Back or a reload, and a new sign-in asks")
    func refused() async throws {
        try await ThirdParty.run { platform, browser, request in
            for state in [request.state, String(repeating: "é", count: 2048)] {
                var request = request
                request.state = state
                let form = try await browser.atApple(try await browser.authorize(request), person: "Ada Lovelace")
                let page = try await browser.callback(form)
                #expect(page.asksForConsent(setsCookies: true))
                #expect(try await browser.decide(.refuse, on: page).reports(request, "access_denied"))
                #expect(browser.cookies.isEmpty)
                for decision in [TestBrowser.Decision.allow, .refuse, .otherAccount] {
                    #expect(try await browser.decide(decision, on: page).isPage(400))
                }
                #expect(try await browser.callback(form).isPage(400))
            }
            for table in ["consent", "session"] { #expect(try await platform.count(table) == 0, "\(table)") }
        }
    }

    @Test("the same form again gets another code of the same login until one is used, and records nothing new")
    func replayed() async throws {
        try await ThirdParty.run { platform, browser, request in
            let page = try await ThirdParty.page(browser, request)
            let (one, two) = (try await browser.decide(.allow, on: page), try await browser.decide(.allow, on: page))
            #expect(one["code"] != nil && two["code"] != nil && one["code"] != two["code"])
            let tokens = try await browser.redeem(two["code"] ?? "", request)
            #expect(tokens.status == 200)
            let late = try await browser.decide(.allow, on: page)
            #expect(late.isPage(400) && late.body.contains("already finished"), "\(late.status) \(late.body)")
            // A double click leads to both codes. The other one gets nothing, and ends nothing.
            #expect(try await browser.redeem(one["code"] ?? "", request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.userInfo(tokens.string("access_token"), of: platform.acme).status == 200)
            #expect(try await platform.audited("consent.given").count == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a form from before a revocation records nothing, and the page asks again")
    func revokedMeanwhile() async throws {
        try await ThirdParty.run { platform, browser, request in
            _ = try await browser.decide(
                .allow, on: try await ThirdParty.page(browser, .init(platform.acme), person: "Ada Lovelace", changing: ["scope": "openid"]))
            let page = try await ThirdParty.page(browser, request, person: "Ada Lovelace")
            try await platform.revokeConsent()
            let again = try await browser.decide(.allow, on: page)
            #expect(again.asksForConsent(setsCookies: true), "\(again.status) \(again.location ?? again.body)")
            #expect(try await platform.audited("consent.given").count == 1)
            #expect(try await browser.redeem(try await browser.decide(.allow, on: again)["code"] ?? "", request).status == 200)
            #expect(try await platform.audited("consent.given").count == 2)
        }
    }

    @Test("a user who is signed out or deleted before the form gives no consent, and gets no code")
    func endedBefore() async throws {
        try await ThirdParty.run { platform, browser, _ in
            for end in ["user", "tenant", "deletion"] {
                let request = TestBrowser.Request(platform.acme)
                let page = try await ThirdParty.page(browser, request)
                let row = try await platform.ownerPool.run("SELECT public_id('user', id) AS id FROM tenant_user ORDER BY created_at DESC")[
                    0]
                let user = try row.get("id", as: String.self)
                let answer =
                    switch end {
                    case "user": try await platform.call("POST", "/tenants/acme/users/\(user)/sessions/revoke")
                    case "tenant": try await platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme")
                    default: try await platform.call("DELETE", "/tenants/acme/users/\(user)")
                    }
                #expect(answer.status < 300, "\(end) \(answer.body)")
                #expect(try await browser.decide(.allow, on: page).reports(request, "access_denied"), "\(end)")
                for table in ["consent", "session"] { #expect(try await platform.count(table) == 0, "\(end) \(table)") }
            }
        }
    }

    @Test("a code ends with everything that ended since Apple's response, even if it was issued later")
    func endedAfter() async throws {
        try await ThirdParty.run { platform, browser, request in
            let page = try await ThirdParty.page(browser, request)
            let code = try #require(try await browser.decide(.allow, on: page)["code"])
            // A moment after Apple's response. The code is newer.
            _ = try await platform.ownerPool.run("UPDATE tenant_user SET tokens_valid_after = created_at + interval '1 microsecond'")
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("a form of another site, browser, tenant or page is refused, and records nothing")
    func forged() async throws {
        try await ThirdParty.run { platform, browser, request in
            let page = try await ThirdParty.page(browser, request)
            let other = TestBrowser(platform)
            let own = try await ThirdParty.page(other, TestBrowser.Request(platform.acme))
            let foreign = try #require(TestBrowser.AppleForm(html: own.body))
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            for decision in [TestBrowser.Decision.allow, .refuse, .otherAccount] {
                for headers in [
                    [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "https://evil.test")],
                    [("Origin", "null")],
                ] { #expect(try await browser.decide(decision, on: page, headers: headers).isPage(400), "\(decision) \(headers)") }
                // A browser without the cookie, with a sign-in of its own, and with its cookie under the name of the other one.
                #expect(try await TestBrowser(platform).decide(decision, on: page).isPage(400), "\(decision)")
                #expect(try await other.decide(decision, on: page).isPage(400), "\(decision)")
                let planted = TestBrowser(platform)
                planted.cookies = [
                    try #require(Self.secret(of: browser)?.key): try #require(Self.secret(of: other)?.value)
                ]
                #expect(try await planted.decide(decision, on: page).isPage(400), "\(decision)")
                for field in ["ticket", "login", "state"] {
                    let changed = try await browser.decide(decision, on: page, replacing: [field: foreign[field]])
                    #expect(changed.isPage(400), "\(decision) \(field)")
                }
                for field in ["ticket", "login"] {
                    let value = try #require(form[field])
                    for changed in [value + "x", String(value.dropLast(4)), "x", "\u{600}", "", nil] as [String?] {
                        let answer = try await browser.decide(decision, on: page, replacing: [field: changed])
                        #expect(answer.isPage(400), "\(decision) \(field) \(changed ?? "nil")")
                    }
                }
                let elsewhere = try await browser.post(
                    "\(platform.globex.issuer)/oauth2/consent\(decision.rawValue)", form: form.fields)
                #expect(elsewhere.isPage(400), "\(decision)")
            }
            #expect(try await platform.count("consent") == 0)
            #expect(try await browser.decide(.allow, on: page)["code"] != nil)
        }
    }

    @Test("an application that was removed, or lost its address, gets nothing; one that became the tenant's own records nothing")
    func changedApplication() async throws {
        try await ThirdParty.run { platform, browser, request in
            let path = "/tenants/acme/applications/\(request.application.client_id)"
            let page = try await ThirdParty.page(browser, request)
            #expect(try await platform.call("PATCH", path, ["is_third_party": false]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await browser.decide(.allow, on: page)["code"] != nil)
            try await platform.setRedirectURIs(["https://other.test/"], of: request.application)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await browser.decide(.allow, on: page).isPage(400))
            #expect(try await platform.call("DELETE", path).status < 300)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await browser.decide(.allow, on: page).isPage(400))
            #expect(try await platform.count("consent") == 0)
        }
    }

    @Test("the response keeps the mode, any state, and the key of the request")
    func returned() async throws {
        try await ThirdParty.run { platform, browser, request in
            for state in [nil, "a b&\r\n<\u{600}>\"", String(repeating: "é", count: 2048)] as [String?] {
                let page = try await ThirdParty.page(browser, request, changing: ["state": state])
                let back = try await browser.decide(.allow, on: page)
                #expect(back["code"] != nil && back["state"] == state, "\(state?.prefix(10) ?? "") \(back.body)")
                browser.cookies = [:]
            }
            let posted = try await ThirdParty.page(browser, request, changing: ["response_mode": "form_post"])
            let back = try await browser.decide(.allow, on: posted)
            #expect(back.status == 200 && back.body.contains("name=\"code\"") && back.body.contains(request.state))
            let bound = try await ThirdParty.page(browser, request, changing: ["dpop_jkt": try ClientKey(nil).thumbprint])
            let code = try #require(try await browser.decide(.allow, on: bound)["code"])
            #expect(try await browser.redeem(code, request).status == 400)
        }
    }

    @Test("with single sign-on, the sign-in of the browser starts before the question, and its logout ends the sign-in that waits")
    func singleSignOn() async throws {
        try await ThirdParty.run { platform, browser, request in
            try await platform.set(["single_sign_on": true])
            let page = try await ThirdParty.page(browser, request, person: "Ada Lovelace")
            let own = TestBrowser.Request(platform.acme, application: 1)
            let silent = try await browser.authorize(own)
            let tokens = try await browser.redeem(try #require(silent["code"], "\(silent.status)"), own)
            let hint = try #require(tokens.string("id_token"))
            _ = try await browser.get(TestBrowser.Request.url("\(platform.acme.issuer)/oauth2/logout", [("id_token_hint", hint)]))
            #expect(try await browser.decide(.allow, on: page).reports(request, "access_denied"))
            #expect(try await platform.count("consent") == 0)
        }
    }

    @Test("a browser sends a limited number of forms")
    func limited() async throws {
        try await ThirdParty.run { _, browser, request in
            let page = try await ThirdParty.page(browser, request)
            var answers: [TestBrowser.Answer] = []
            while answers.count < 100, answers.last?["error"] == nil { answers.append(try await browser.decide(.allow, on: page)) }
            #expect((30..<100).contains(answers.count), "\(answers.count)")
            #expect(answers.last?.reports(request, "temporarily_unavailable") == true)
        }
    }

    @Test("all pages have the language that the request asked for")
    func language() async throws {
        try await ThirdParty.run(["requires_name": true]) { _, browser, request in
            let toApple = try await browser.get(request.authorizeURL(changing: ["ui_locales": "he"]))
            var form = try await browser.atApple(toApple, person: "new")
            form["user"] = nil
            let page = try await browser.callback(form)
            #expect(page.header("Content-Language") == "he" && page.body.contains("/oauth2/consent?ui_locales=he"), "\(page.body)")
            let next = try await browser.decide(.allow, on: page)
            #expect(next.header("Content-Language") == "he" && next.body.contains("/oauth2/name?ui_locales=he"), "\(next.body)")
        }
    }

    /// The cookie of the login attempt.
    private static func secret(of browser: TestBrowser) -> (key: String, value: String)? {
        browser.cookies.first { !$0.key.hasSuffix("-q") }
    }
}
