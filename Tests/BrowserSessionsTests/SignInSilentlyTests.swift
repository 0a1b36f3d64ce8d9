import Access
import BrowserSessions
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Sign-in without Apple at the tenant's other applications")
struct SignInSilentlyTests {
    @Test("a sign-in at one application signs the user in at another one, with and without prompt=none; only the first is a login")
    func story() async throws {
        try await SingleSignOn.run { sso in
            let first = try await sso.signIn()
            let cookie = try #require(sso.cookie)
            for changes in [["prompt": "none"], [:]] as [[String: String?]] {
                let second = try await sso.signInSilently(changes)
                #expect(second.user == first.user)
                #expect(second.authTime == first.authTime)
                #expect(second.claims["amr"] as? [String] == ["apple"])
                #expect(second.claims["nonce"] as? String == second.request.nonce)
                #expect(second.claims["sid"] as? String != first.claims["sid"] as? String)
                #expect(try await second.lasts())
            }
            // A confidential application too, and the same one again.
            for application in [2, 0] { #expect(try await sso.signInSilently(at: application).user == first.user) }
            #expect(sso.cookie == cookie)
            // A response that arrives late must not replace a newer cookie.
            #expect(try await sso.ask(["prompt": "none"]).answer.headers["Set-Cookie"].isEmpty)
            #expect(try await sso.platform.count("session") == 5)
            #expect(try await sso.platform.count("session", where: "is_silent") == 4)
            #expect(try await sso.platform.count("session", where: "browser_session_id IS NOT NULL") == 5)
            #expect(try await sso.platform.countBilled(where: "kind = 'login'") == 1)
            #expect(try await sso.platform.countBilled(where: "kind = 'silent_login'") == 4)
            // Another browser has no sign-in.
            #expect(try await sso.elsewhere.needsApple())
        }
    }

    @Test("a silent sign-in is one usage event of its kind, in the transaction of its session; a repeated code adds none")
    func metered() async throws {
        try await SingleSignOn.run { sso in
            let platform = sso.platform
            _ = try await sso.signIn()
            let (answer, request) = try await sso.ask(["prompt": "none"])
            // A code that was not redeemed is not a sign-in.
            #expect(try await platform.countBilled(where: "kind = 'silent_login'") == 0)
            let code = try #require(answer["code"])
            // Without the event there is no session either.
            _ = try await platform.ownerPool.run("REVOKE INSERT ON usage_arrival FROM espalier_server")
            #expect(try await sso.browser.redeem(code, request).status == 500)
            #expect(try await platform.count("session") == 1)
            _ = try await platform.ownerPool.run("GRANT INSERT ON usage_arrival TO espalier_server")

            #expect(try await sso.browser.redeem(code, request).status == 200)
            #expect(try await sso.browser.redeem(code, request).status == 400)
            let events = try await platform.ownerPool.run(
                """
                SELECT e.application_id, e.user_id, e.connection, e.occurred_at = s.created_at AS is_same, s.is_silent
                FROM usage_arrival e JOIN session s ON s.tenant_id = e.tenant_id AND s.id = e.id WHERE e.kind = 'silent_login'
                """)
            #expect(events.count == 1)
            #expect(try events[0].get("application_id") == ID<Application>(platform.acme.applications[1].client_id)!.uuid)
            #expect(try events[0].get("connection") == "own")
            #expect(try events[0].get("is_same") && events[0].get("is_silent"))
            #expect(try await platform.countBilled(where: "kind = 'login'") == 1)

            // The response does not count it as a login, and its user counts once.
            try await platform.rollUp()
            let usage = try await platform.call("GET", "/tenants/acme/usage").json
            #expect((usage["logins"] as? Int, usage["silent_logins"] as? Int, usage["users"] as? Int) == (1, 1, 1))
        }
    }

    @Test("without the tenant's choice there is no cookie, no row and no statement, and prompt=none is login_required")
    func notChosen() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let sso = SingleSignOn(platform: platform, browser: browser)
            _ = try await platform.ownerPool.run("REVOKE ALL ON browser_session FROM espalier_server")
            _ = try await sso.signIn()
            #expect(browser.cookies.isEmpty)
            browser.cookies[SingleSignOn.cookieName] = String(repeating: "A", count: 96)
            #expect(try await sso.needsApple())
            #expect(try await platform.count("browser_session") == 0)
        }
    }

    @Test("with the tenant's choice, an unreadable cookie costs no statement, and a cookie of this server costs one")
    func cost() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            _ = try await sso.platform.ownerPool.run("REVOKE ALL ON browser_session FROM espalier_server")
            #expect(try await sso.elsewhere.needsApple())
            #expect(try await sso.with(String(repeating: "A", count: 96)).needsApple())
            #expect(try await sso.ask(["prompt": "none"]).answer.status == 500)
            // The user of the cookie decides without a statement.
            #expect(try await sso.ask(["prompt": "none", "id_token_hint": "x"]).answer["error"] == "login_required")
        }
    }

    @Test("the cookie is for this tenant's pages on this host only, and a browser stores it as long as the session lasts")
    func cookie() async throws {
        try await SingleSignOn.run(["browser_session_seconds": 3600]) { sso in
            let request = TestBrowser.Request(sso.platform.acme)
            let back = try await sso.browser.signIn(request)
            let set = try #require(back.headers["Set-Cookie"].first { $0.hasPrefix("\(SingleSignOn.cookieName)=") })
            #expect(set.hasSuffix("; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Lax"))
            #expect(!set.contains("Domain"))
            // The value contains no name and no address.
            #expect(sso.cookie?.utf8.count == 96)
        }
    }

    @Test("prompt=login, consent and select_account always go to Apple")
    func prompts() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            for prompt in ["login", "consent", "select_account", "login consent"] {
                #expect(sso.goesToApple(try await sso.ask(["prompt": prompt]).answer), "\(prompt)")
            }
            #expect(try await sso.ask(["prompt": "none login"]).answer["error"] == "invalid_request")
            #expect(try await sso.ask(["prompt": ""]).answer["code"] != nil)
        }
    }

    @Test("max_age compares with the sign-in at Apple")
    func maxAge() async throws {
        try await SingleSignOn.run { sso in
            let first = try await sso.signIn()
            try await sso.change("authenticated_at = authenticated_at - interval '100 seconds'")
            for age in ["0", "1", "99"] { #expect(try await sso.needsApple(["max_age": age]), "\(age)") }
            for age in ["200", "9223372036854775807"] {
                let login = try await sso.signInSilently(["prompt": "none", "max_age": age])
                #expect(login.authTime == first.authTime - 100)
            }
            // A new sign-in with Apple makes it younger.
            _ = try await sso.signIn("Ada Lovelace", ["max_age": "99"])
            #expect(try await sso.signInSilently(["prompt": "none", "max_age": "99"]).user == first.user)
        }
    }

    @Test("an id_token_hint must name the user of the browser")
    func hint() async throws {
        try await SingleSignOn.run { sso in
            let other = try await sso.elsewhere.signIn("Grace Hopper")
            let foreign = try await sso.platform.login("new", sso.platform.globex)
            let own = try await sso.signIn()
            for hint in [other.idToken, foreign.idToken, "a.b.c", own.idToken + "x"] {
                #expect(try await sso.needsApple(["id_token_hint": hint]))
            }
            #expect(try await sso.signInSilently(["prompt": "none", "id_token_hint": own.idToken]).user == own.user)
            #expect(try await sso.signInSilently(["id_token_hint": own.idToken]).user == own.user)
        }
    }

    @Test("a pushed request is answered silently too, with the user of its id_token_hint")
    func pushed() async throws {
        try await SingleSignOn.run { sso in
            let other = try await sso.elsewhere.signIn("Grace Hopper")
            let own = try await sso.signIn()
            func push(_ hint: String) async throws -> TestBrowser.Answer {
                let request = TestBrowser.Request(sso.platform.acme)
                let secret = [("client_secret", request.application.client_secret ?? "")]
                let form = request.parameters + [("prompt", "none"), ("id_token_hint", hint)] + secret
                return try await sso.browser.post("\(sso.platform.acme.issuer)/oauth2/par", form: form)
            }
            func answer(_ pushed: TestBrowser.Answer) async throws -> TestBrowser.Answer {
                let parameters = [
                    ("client_id", sso.platform.acme.applications[0].client_id), ("request_uri", pushed.string("request_uri") ?? ""),
                ]
                return try await sso.browser.get(TestBrowser.Request.url("\(sso.platform.acme.issuer)/oauth2/authorize", parameters))
            }
            #expect(try await answer(try await push(own.idToken))["code"] != nil)
            #expect(try await answer(try await push(other.idToken))["error"] == "login_required")
            #expect(try await push("a.b.c").isOAuthError(400, "invalid_request"))
        }
    }

    @Test("an application of a third party gets no silent sign-in before the user has allowed it, here or after a sign-in with Apple")
    func thirdParty() async throws {
        try await SingleSignOn.run { sso in
            let client = sso.platform.acme.applications[2].client_id
            let marked = try await sso.platform.call("PATCH", "/tenants/acme/applications/\(client)", ["is_third_party": true])
            #expect(marked.status == 200)
            sso.platform.installation.directory.forgetAll(isFresh: true)
            let first = try await sso.signIn()
            #expect(try await sso.needsConsent(at: 2))
            // The other applications are not affected, and a silent sign-in at them proves nothing.
            _ = try await sso.signInSilently()
            #expect(try await sso.needsConsent(at: 2))
            // A consent after a sign-in with Apple, for one scope, does not cover others.
            _ = try await sso.signIn(at: 2, ["prompt": "login", "scope": "openid"])
            #expect(try await sso.needsConsent(at: 2))
            #expect(try await sso.signInSilently(["prompt": "none", "scope": "openid"], at: 2).user == first.user)
            _ = try await sso.signIn(at: 2, ["prompt": "login"])
            #expect(try await sso.signInSilently(at: 2).user == first.user)
        }
    }

    @Test("the end of all tokens of a user ends the consent to an application of a third party")
    func consentEnds() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.platform.ownerPool.run("UPDATE application SET is_third_party = true")
            sso.platform.installation.directory.forgetAll(isFresh: true)
            let first = try await sso.signIn(at: 2)
            #expect(try await sso.signInSilently(at: 2).user == first.user)
            _ = try await sso.platform.call("POST", "/tenants/acme/users/\(first.user)/sessions/revoke")
            _ = try await sso.signIn(at: 1)
            #expect(try await sso.needsConsent(at: 2))
            _ = try await sso.signIn(at: 2, ["prompt": "login"])
            #expect(try await sso.signInSilently(at: 2).user == first.user)
        }
    }

    @Test("a consent to one API for an application of a third party does not cover another one")
    func consentToAPIs() async throws {
        try await SingleSignOn.run { sso in
            let apis = ["https://orders.test", "https://bills.test"]
            let client = sso.platform.acme.applications[2].client_id
            for api in apis {
                let body: [String: any Sendable] = [
                    "name": "API", "audience": api, "scopes": ["all:read"], "applications": [["id": client]],
                ]
                let made = try await sso.platform.call("POST", "/tenants/acme/apis", body)
                #expect(made.status == 201, "\(made.body)")
            }
            _ = try await sso.platform.ownerPool.run("UPDATE application SET is_third_party = true")
            sso.platform.installation.directory.forgetAll(isFresh: true)
            _ = try await sso.signIn(at: 2, ["resource": apis[0]])
            #expect(try await sso.ask(["prompt": "none", "resource": apis[0]], at: 2).answer["code"] != nil)
            #expect(try await sso.needsConsent(["resource": apis[1]], at: 2))
        }
    }

    @Test("a browser that signs in silently too often has to wait, or goes to Apple")
    func tooOften() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            var (granted, last) = (0, try await sso.ask(["prompt": "none"]))
            while last.answer["code"] != nil, granted < 200 {
                granted += 1
                last = try await sso.ask(["prompt": "none"])
            }
            // The bucket gains some while the test runs.
            #expect((30..<200).contains(granted))
            #expect(last.answer.reports(last.request, "temporarily_unavailable"))
            var open = try await sso.ask().answer
            for _ in 0..<200 where open["code"] != nil { open = try await sso.ask().answer }
            #expect(sso.goesToApple(open))
            // Another browser has its own limit.
            let other = sso.elsewhere
            _ = try await other.signIn()
            #expect(try await other.ask(["prompt": "none"]).answer["code"] != nil)
        }
    }

    @Test("a frame gets only an answer to prompt=none, and never a page")
    func frames() async throws {
        try await SingleSignOn.run { sso in
            let frame = [("Sec-Fetch-Dest", "iframe")]
            // Browsers attach the cookie to no frame of another site.
            let (unknown, request) = try await sso.elsewhere.ask(["prompt": "none"], headers: frame)
            #expect(unknown.reports(request, "login_required"))
            _ = try await sso.signIn()
            #expect(try await sso.ask(["prompt": "none"], headers: frame).answer["code"] != nil)
            #expect(try await sso.ask(headers: frame).answer.isPage(400))
        }
    }

    @Test("prompt=none still checks the request first")
    func checked() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            #expect(try await sso.ask(["prompt": "none", "redirect_uri": "https://evil.test/"]).answer.isPage(400))
            #expect(try await sso.ask(["prompt": "none", "code_challenge": nil]).answer["error"] == "invalid_request")
            #expect(try await sso.ask(["prompt": "none", "scope": "openid nonsense:all"]).answer["error"] == nil)
            let posted = try await sso.ask(["prompt": "none", "response_mode": "form_post"]).answer
            #expect(posted.status == 200 && posted.body.contains("name=\"code\""))
        }
    }

    @Test("a code without Apple works once, with its verifier, at its application")
    func codes() async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.signIn()
            let (answer, request) = try await sso.ask(["prompt": "none"])
            let code = try #require(answer["code"])
            var other = request
            other.verifier = TestBrowser.randomText()
            #expect(try await sso.browser.redeem(code, other).isOAuthError(400, "invalid_grant"))
            var confidential = TestBrowser.Request(sso.platform.acme, application: 0)
            confidential.verifier = request.verifier
            #expect(try await sso.browser.redeem(code, confidential).isOAuthError(400, "invalid_grant"))
            #expect(try await sso.browser.redeem(code, request).status == 200)
            #expect(try await sso.browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
        }
    }
}
