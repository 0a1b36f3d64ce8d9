import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// The name that an application requires, in a browser with a sign-in. Acme's second application requires one.
@Suite("A required name without Apple")
struct GiveNameSilentlyTests {
    private static func run(
        _ settings: [String: any Sendable] = [:], _ body: @Sendable @escaping (SingleSignOn) async throws -> Void
    ) async throws {
        try await SingleSignOn.run { sso in
            let path = "/tenants/acme/applications/\(sso.platform.acme.applications[1].client_id)"
            let changed = try await sso.platform.call("PATCH", path, settings.merging(["requires_name": true]) { $1 })
            #expect(changed.status == 200, "\(changed.body)")
            sso.platform.installation.directory.forgetAll(isFresh: true)
            try await body(sso)
        }
    }

    /// A sign-in of a user without a name, at the first application.
    private static func signIn(_ sso: SingleSignOn, _ person: String = "new") async throws -> SingleSignOn.Login {
        let request = TestBrowser.Request(sso.platform.acme)
        return try await sso.login(try await sso.browser.signInWithoutName(request, person: person), request)
    }

    private static func countNameless(_ sso: SingleSignOn) async throws -> Int {
        try await sso.platform.count("tenant_user", where: "given_name IS NULL AND family_name IS NULL")
    }

    @Test("a page asks, prompt=none gets interaction_required, and after the form nobody asks again")
    func story() async throws {
        try await Self.run { sso in
            let first = try await Self.signIn(sso)
            let (silent, refused) = try await sso.ask(["prompt": "none"])
            #expect(silent.reports(refused, "interaction_required"), "\(silent.location ?? silent.body)")
            let (page, request) = try await sso.ask(["max_age": "600"])
            #expect(page.asksForName(), "\(page.status) \(page.location ?? page.body)")
            #expect(page.body.contains(request.application.name))

            let login = try await sso.login(try await sso.browser.give("Ada", "Lovelace", on: page), request)
            #expect(login.user == first.user && login.authTime == first.authTime)
            #expect(login.claims["name"] as? String == "Ada Lovelace" && login.claims["nonce"] as? String == request.nonce)
            #expect(try await login.lasts())
            #expect(try await sso.platform.count("session", where: "is_silent") == 1)
            #expect(try await sso.platform.countBilled(where: "kind = 'login'") == 1)
            #expect(try await sso.platform.countBilled(where: "kind = 'silent_login'") == 1)
            #expect(try await sso.signInSilently().user == first.user)
            #expect(try await sso.ask().answer["code"] != nil)
        }
    }

    @Test("after Apple's response, the browser is signed in, and its logout ends the sign-in that waits for the name")
    func afterApple() async throws {
        try await Self.run { sso in
            let first = try await Self.signIn(sso, "Nemo")
            let request = TestBrowser.Request(sso.platform.acme, application: 1)
            let changes: [String: String?] = ["provider": "apple"]
            let page = try await sso.browser.signInWithoutName(request, person: "Nemo", changing: changes)
            #expect(page.asksForName(setsCookies: true) && sso.cookie != nil)
            let back = try await sso.browser.give("Ada", on: page)
            #expect(try await sso.login(back, request).user == first.user)
            #expect(try await sso.platform.countBilled(where: "kind = 'login'") == 2)

            let later = TestBrowser.Request(sso.platform.acme, application: 1)
            _ = try await sso.platform.ownerPool.run("UPDATE tenant_user SET given_name = NULL")
            let waiting = try await sso.browser.signInWithoutName(later, person: "Nemo", changing: changes)
            #expect(waiting.asksForName(setsCookies: true))
            _ = try await sso.browser.get(
                TestBrowser.Request.url("\(first.request.tenant.issuer)/oauth2/logout", [("id_token_hint", first.idToken)]))
            #expect(try await sso.rows().map(\.reason) == ["logout"])
            #expect(try await sso.browser.give("Ada", on: waiting).reports(later, "access_denied"))
            #expect(try await Self.countNameless(sso) == 1)
        }
    }

    @Test("a code that waited gets no tokens after a logout of the browser, or a sign-out of the user since the sign-in with Apple")
    func ended() async throws {
        try await Self.run { sso in
            for end in ["logout", "user", "tenant", "time"] {
                let browser = sso.elsewhere
                let first = try await Self.signIn(browser)
                let (page, request) = try await browser.ask()
                #expect(page.asksForName(), "\(end)")
                switch end {
                case "logout":
                    let cookie = try #require(browser.cookie)
                    _ = try await browser.browser.get(
                        TestBrowser.Request.url("\(request.tenant.issuer)/oauth2/logout", [("id_token_hint", first.idToken)]))
                    #expect(try await browser.browser.give("Ada", on: page).isPage(400))
                    // A copy of the cookie that the logout removed.
                    browser.browser.cookies[SingleSignOn.cookieName] = cookie
                case "user": _ = try await sso.platform.call("POST", "/tenants/acme/users/\(first.user)/sessions/revoke")
                case "tenant": _ = try await sso.platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme")
                default:
                    // The end is older than the page, and newer than the sign-in with Apple.
                    let code = try #require(try await browser.browser.give("Ada", on: page)["code"])
                    _ = try await sso.platform.ownerPool.run(
                        """
                        UPDATE tenant_user u SET tokens_valid_after = b.signed_in_at FROM browser_session b
                        WHERE b.user_id = u.id AND u.given_name = 'Ada'
                        """)
                    #expect(try await browser.browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
                    continue
                }
                #expect(try await browser.browser.give("Ada", on: page).reports(request, "access_denied"), "\(end)")
            }
            #expect(try await Self.countNameless(sso) == 3)
            #expect(try await sso.platform.count("session", where: "is_silent") == 0)
        }
    }

    @Test("two codes of the form: one gets tokens, which last, and the same one again ends them")
    func twice() async throws {
        try await Self.run { sso in
            _ = try await Self.signIn(sso)
            let (page, request) = try await sso.ask()
            var codes: [String] = []
            for _ in 0..<2 { codes.append(try #require(try await sso.browser.give("Ada", on: page)["code"])) }
            let tokens = try await sso.browser.redeem(codes[0], request).string("access_token")
            #expect(try await sso.browser.redeem(codes[1], request).isOAuthError(400, "invalid_grant"))
            #expect(try await sso.browser.userInfo(tokens, of: request.tenant).status == 200)
            #expect(try await sso.browser.redeem(codes[0], request).isOAuthError(400, "invalid_grant"))
            #expect(try await sso.browser.userInfo(tokens, of: request.tenant).status == 401)
        }
    }

    @Test("the limits of the browser's sign-in apply to the form, too")
    func limits() async throws {
        try await Self.run { sso in
            for change in [
                "last_used_at = last_used_at - interval '86401 seconds'", "expires_at = now()",
                "signed_in_at = signed_in_at - interval '2592001 seconds'",
            ] {
                let browser = sso.elsewhere
                _ = try await Self.signIn(browser)
                let (page, request) = try await browser.ask()
                #expect(page.asksForName(), "\(change)")
                try await sso.change(change)
                #expect(try await browser.browser.give("Ada", on: page).reports(request, "access_denied"), "\(change)")
            }
            #expect(try await Self.countNameless(sso) == 3)
        }
    }

    @Test("the form's cookie gets its successor, and an old one ends the browser's sign-in")
    func rotation() async throws {
        try await Self.run { sso in
            let first = try await Self.signIn(sso)
            let (page, request) = try await sso.ask()
            let old = try #require(sso.cookie)
            try await sso.change("rotated_at = rotated_at - interval '601 seconds'")
            #expect(try await sso.browser.give("Ada", on: page)["code"] != nil)
            #expect(sso.cookie != old)
            // The browser presents the successor.
            #expect(try await sso.browser.give("Ada", on: page)["code"] != nil)
            #expect(try await sso.with(old).browser.give("Ada", on: page)["code"] != nil)
            try await sso.change("presented_at = presented_at - interval '31 seconds'")
            #expect(try await sso.with(old).browser.give("Ada", on: page).reports(request, "access_denied"))
            #expect(try await sso.rows().map(\.reason) == ["reused"])
            #expect(try await !first.lasts())
            #expect(try await sso.browser.give("Ada", on: page).reports(request, "access_denied"))
        }
    }

    @Test("an application that became one of a third party since the page gets no code without consent")
    func becameThirdParty() async throws {
        try await Self.run { sso in
            _ = try await Self.signIn(sso)
            let (page, request) = try await sso.ask()
            #expect(page.asksForName())
            _ = try await sso.platform.ownerPool.run("UPDATE application SET is_third_party = true")
            sso.platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await sso.browser.give("Ada", on: page).reports(request, "access_denied"))
            #expect(try await Self.countNameless(sso) == 1)
        }
    }

    @Test("the button for another sign-in leads to Apple, and a second account takes the browser over")
    func otherAccount() async throws {
        try await Self.run { sso in
            let first = try await Self.signIn(sso)
            let (page, request) = try await sso.ask()
            let toApple = try await sso.browser.give("", on: page, path: "/sign-in")
            #expect(sso.goesToApple(toApple))
            let back = try await sso.browser.callback(try await sso.browser.atApple(toApple, person: "Grace Hopper"))
            #expect(try await sso.login(back, request).user != first.user)
            #expect(try await sso.rows().map(\.reason) == ["replaced", nil])
            #expect(try await sso.browser.give("Ada", on: page).isPage(400))
        }
    }

    @Test("a form of another browser, of another user, or after the end of single sign-on is refused, and saves nothing")
    func forged() async throws {
        try await Self.run { sso in
            _ = try await Self.signIn(sso, "Nemo")
            let page = try await sso.ask().answer
            #expect(page.asksForName())
            let other = sso.elsewhere
            #expect(try await other.browser.give("Eve", on: page).isPage(400))
            _ = try await Self.signIn(other)
            #expect(try await other.browser.give("Eve", on: page).isPage(400))
            let same = sso.elsewhere
            _ = try await Self.signIn(same, "Nemo")
            #expect(try await same.browser.give("Eve", on: page).isPage(400))
            for headers in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://evil.test")]] {
                #expect(try await sso.browser.give("Eve", on: page, headers: headers).isPage(400), "\(headers)")
            }
            #expect(try await sso.platform.call("PATCH", "/tenants/acme", ["single_sign_on": false]).status == 200)
            sso.platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await sso.browser.give("Eve", on: page).isPage(400))
            #expect(try await Self.countNameless(sso) == 2)
        }
    }

    @Test("an application of a third party asks for consent first, and then for the name; a revoked consent ends the second question")
    func thirdParty() async throws {
        try await Self.run(["is_third_party": true]) { sso in
            let first = try await Self.signIn(sso)
            let (question, request) = try await sso.ask(["ui_locales": "de"])
            #expect(question.header("Content-Language") == "de" && question.body.contains("/oauth2/consent/refusal?ui_locales=de"))
            let page = try await Self.allow(sso, question)
            #expect(page.asksForName() && page.header("Content-Language") == "de", "\(page.status) \(page.body)")
            let consent = try #require(try await sso.consents(of: first.user).first?["id"] as? String)
            let revoked = try await sso.platform.call("DELETE", "/tenants/acme/users/\(first.user)/consents/\(consent)")
            #expect(revoked.status < 300)
            #expect(try await sso.browser.give("Ada", on: page).reports(request, "access_denied"))
            #expect(try await Self.countNameless(sso) == 1)

            let (again, second) = try await sso.ask()
            let open = try await Self.allow(sso, again)
            #expect(try await sso.login(try await sso.browser.give("Ada", on: open), second).user == first.user)
        }
    }

    /// Presses the first button of the page that asks for consent.
    private static func allow(_ sso: SingleSignOn, _ question: TestBrowser.Answer) async throws -> TestBrowser.Answer {
        let form = try #require(TestBrowser.AppleForm(html: question.body), "\(question.status) \(question.body)")
        return try await sso.browser.post(TestPlatform.publicURL + form.action, form: form.fields)
    }
}
