import Access
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("The name that an application requires")
struct GiveNameTests {
    @Test("a page asks once, after Apple's response; the name is saved, and the application gets its code with everything of the request")
    func story() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request, person: "Nemo")
            #expect(page.asksForName(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
            for text in [
                request.application.name, "Given name", "Family name", "Enter your given name or your family name.",
                "Stop Using Apple Account", "account.apple.com", "autocomplete=\"given-name\"", "autocomplete=\"family-name\"",
                "<label for=\"given_name\">",
            ] { #expect(page.body.contains(text), "\(text)") }
            for text in ["<script", "aria-invalid", "autofocus", "role="] { #expect(!page.body.contains(text), "\(text)") }
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self' https:;") == true)
            #expect(page.header("Referrer-Policy") == "same-origin")
            // The user is saved, and nothing else.
            #expect(try await platform.countNameless() == 1)
            #expect(try await platform.count("session") == 0)
            #expect(browser.cookies.count == 2)

            let back = try await browser.give("Ada", "Lovelace", on: page)
            #expect(back["state"] == request.state && back["iss"] == request.tenant.issuer)
            let tokens = try await browser.redeem(try #require(back["code"], "\(back.status) \(back.body)"), request)
            let claims = try claims(of: tokens.string("id_token"))
            #expect(claims["name"] as? String == "Ada Lovelace" && claims["nonce"] as? String == request.nonce)
            #expect(try await platform.countBilled() == 1)
            #expect(try await platform.count("tenant_user", where: "updated_at > created_at") == 1)
            let again = try await browser.signInWithoutName(.init(platform.acme), person: "Nemo")
            #expect(again["code"] != nil)
        }
    }

    @Test("nobody else is asked: a user with half a name, another application, or another interface")
    func onlyIfNecessary() async throws {
        try await RequiredName.run { platform, browser, request in
            for person in ["Ada Lovelace", "Madonna"] {
                #expect(try await browser.signIn(request, person: person)["code"] != nil, "\(person)")
            }
            let other = TestBrowser.Request(platform.acme, application: 1)
            #expect(try await browser.signInWithoutName(other)["code"] != nil)
            let url = TestBrowser.Request.url(
                "\(TestPlatform.publicURL)/user_management/authorize",
                request.parameters.filter { $0.0 != "scope" } + [("provider", "AppleOAuth")])
            var form = try await browser.atApple(try await browser.get(url), person: "new")
            form["user"] = nil
            #expect(try await browser.callback(form)["code"] != nil)
        }
    }

    @Test("a name follows the rules for Apple's names; without anything visible, the page asks again and keeps the text")
    func cleaned() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            // U+0600 joins the quotation mark before it.
            for (given, family) in [
                ("", ""), (" ", "\t"), ("\u{200D}", "\u{FEFF}"), ("\u{202E}\u{0}", "\u{600}"), ("\u{600}", "\u{2066} "),
            ] {
                let again = try await browser.give(given, family, on: page)
                #expect(again.asksForName(400), "\(again.status) \(again.location ?? again.body)")
                for text in [
                    "id=\"rule\" role=\"alert\"", "aria-describedby=\"rule\" aria-invalid=\"true\"", "<h1>Enter your name</h1>",
                    "<title>Enter your given name or your family name. Enter your name</title>",
                ] { #expect(again.body.contains(text), "\(text)") }
                #expect(again.body.matches(of: /autofocus/).count == 1)
                let field = "name=\"family_name\" value=\"\(family)\" maxlength"
                #expect(again.body.utf8.contains(field.utf8), "\(family.debugDescription) \(again.body)")
            }
            #expect(try await platform.countNameless() == 1)

            let long = String(repeating: "x", count: 7000)
            let cases: [(String, String, [String?])] = [
                ("A\u{202E}d\u{200B}a", " Love\u{2066}  lace ", ["Ada", "Love lace"]), ("", "Plato", [nil, "Plato"]),
                (
                    "<script>alert(1)</script>", "'; DROP TABLE tenant_user; --",
                    ["<script>alert(1)</script>", "'; DROP TABLE tenant_user; --"]
                ),
                (long, "\u{200D}", [String(long.prefix(100)), nil]),
            ]
            for (given, family, expected) in cases {
                let request = TestBrowser.Request(platform.acme)
                let page = try await browser.signInWithoutName(request)
                let code = try #require(try await browser.give(given, family, on: page)["code"])
                let token = try claims(of: try await browser.redeem(code, request).string("id_token"))
                let user = try await platform.user(token["sub"] as? String ?? "")
                #expect([user?.givenName, user?.familyName] == expected, "\(given.prefix(30))")
            }
        }
    }

    @Test("the same form again gets another code of the same login until one is used, and the first name stays")
    func replayed() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            let (one, two) = (try await browser.give("Ada", on: page), try await browser.give("Eve", "Evil", on: page))
            #expect(one["code"] != nil && two["code"] != nil && one["code"] != two["code"])
            let tokens = try await browser.redeem(two["code"] ?? "", request)
            #expect(try claims(of: tokens.string("id_token"))["name"] as? String == "Ada")
            // The application has used it. The form changes nothing and costs nothing.
            let late = try await browser.give("Eve", on: page)
            #expect(late.isPage(400) && late.body.contains("already finished"), "\(late.status) \(late.body)")
            let access = tokens.string("access_token")
            #expect(try await browser.userInfo(access, of: platform.acme).status == 200)
            #expect(try await platform.count("session") == 1)
            #expect(try await platform.countBilled() == 1)
            // A double click leads to both codes. The other one gets nothing, and ends nothing.
            #expect(try await browser.redeem(one["code"] ?? "", request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.userInfo(access, of: platform.acme).status == 200)
            // The same code again shows that two parties have it.
            #expect(try await browser.redeem(two["code"] ?? "", request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.userInfo(access, of: platform.acme).status == 401)
        }
    }

    @Test("concurrent forms save one name, and each gets a code")
    func concurrent() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            let codes = try await withThrowingTaskGroup(of: String?.self) { tasks in
                for name in ["Ada", "Eve", "Grace", "Alan"] { tasks.addTask { try await browser.give(name, on: page)["code"] } }
                return try await tasks.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(codes.count == 4 && !codes.contains(nil))
            #expect(try await platform.countNameless() == 0)
        }
    }

    @Test("a form of another site, browser, tenant or page is refused, and saves nothing")
    func forged() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            for headers in [
                [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "https://evil.test")],
                [("Origin", "null")],
            ] { #expect(try await browser.give("Eve", on: page, headers: headers).isPage(400), "\(headers)") }
            let other = TestBrowser(platform)
            #expect(try await other.give("Eve", on: page).isPage(400))
            // A browser with a sign-in of its own, also under the name of the other cookie.
            let own = try await other.signInWithoutName(.init(platform.acme))
            #expect(try await other.give("Eve", on: page).isPage(400))
            let (name, secret) = (try #require(Self.secret(of: browser)?.key), try #require(Self.secret(of: other)?.value))
            let cookies = other.cookies
            other.cookies = [name: secret]
            #expect(try await other.give("Eve", on: page).isPage(400))
            other.cookies = cookies
            // Fields of two pages.
            let foreign = try #require(TestBrowser.AppleForm(html: own.body))
            for field in ["ticket", "login", "state"] {
                let changed = try await browser.give("Eve", on: page, replacing: [field: foreign[field]])
                #expect(changed.isPage(400), "\(field)")
            }
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            for field in ["ticket", "login"] {
                let value = try #require(form[field])
                for changed in [value + "x", String(value.dropLast(4)), "x", "", nil, form[field == "login" ? "ticket" : "login"]]
                    as [String?]
                {
                    #expect(
                        try await browser.give("Eve", on: page, replacing: [field: changed]).isPage(400), "\(field) \(changed ?? "nil")")
                }
                // Neither is a code.
                #expect(try await browser.redeem(value, request).isOAuthError(400, "invalid_grant"), "\(field)")
            }
            let elsewhere = try await browser.post(
                "\(platform.globex.issuer)/oauth2/name", form: form.fields + [("given_name", "Eve")])
            #expect(elsewhere.isPage(400))
            #expect(try await platform.countNameless() == 2)
            #expect(try await browser.give("Ada", on: page)["code"] != nil)
        }
    }

    @Test("a tenant's user who is signed out or deleted before the form gets no code, and no name is saved")
    func endedBefore() async throws {
        try await RequiredName.run { platform, browser, _ in
            for end in ["user", "tenant", "deletion"] {
                let request = TestBrowser.Request(platform.acme)
                let page = try await browser.signInWithoutName(request)
                let user = try await Self.newestUser(platform)
                let answer =
                    switch end {
                    case "user": try await platform.call("POST", "/tenants/acme/users/\(user)/sessions/revoke")
                    case "tenant": try await platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme")
                    default: try await platform.call("DELETE", "/tenants/acme/users/\(user)")
                    }
                #expect(answer.status < 300, "\(end) \(answer.body)")
                #expect(try await browser.give("Ada", on: page).reports(request, "access_denied"), "\(end)")
                #expect(try await platform.user(user.description)?.givenName == nil, "\(end)")
            }
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("a code ends with everything that ended since Apple's response, even if it was issued later")
    func endedAfter() async throws {
        try await RequiredName.run { platform, browser, _ in
            for table in ["tenant_user", "tenant"] {
                let request = TestBrowser.Request(platform.acme)
                let page = try await browser.signInWithoutName(request)
                let code = try #require(try await browser.give("Ada", on: page)["code"])
                // A moment after Apple's response. The code is newer. The times in the code and in the row are rounded separately.
                let user = try await Self.newestUser(platform)
                let time: SQL = "(SELECT max(created_at) + interval '1 microsecond' FROM tenant_user)"
                _ = try await platform.ownerPool.run(
                    table == "tenant"
                        ? "UPDATE tenant SET tokens_valid_after = \(part: time) WHERE slug = 'acme'"
                        : "UPDATE tenant_user SET tokens_valid_after = \(part: time) WHERE id = \(user)")
                #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"), "\(table)")
            }
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("an application of a third party gets no code if its consent was revoked since the page")
    func consentRevoked() async throws {
        try await RequiredName.run(["is_third_party": true]) { platform, browser, request in
            for isRevoked in [false, true] {
                let request = TestBrowser.Request(platform.acme)
                let question = try await browser.signInWithoutName(request)
                #expect(question.asksForConsent(setsCookies: true), "\(question.status) \(question.location ?? question.body)")
                let page = try await browser.decide(.allow, on: question)
                #expect(page.asksForName(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
                if isRevoked {
                    let users = "/tenants/acme/users/\(try await Self.newestUser(platform))/consents"
                    let consent = try #require(try await platform.call("GET", users).data.first?["id"] as? String)
                    #expect(try await platform.call("DELETE", "\(users)/\(consent)").status == 204)
                }
                let back = try await browser.give("Ada", on: page)
                #expect(isRevoked ? back.reports(request, "access_denied") : back["code"] != nil, "\(back.status) \(back.body)")
            }
            #expect(try await platform.countNameless() == 1)
        }
    }

    @Test("an application that was removed, or lost its address, gets nothing")
    func removed() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            try await platform.setRedirectURIs(["https://other.test/"], of: request.application)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await browser.give("Ada", on: page).isPage(400))
            let gone = try await platform.call("DELETE", "/tenants/acme/applications/\(request.application.client_id)")
            #expect(gone.status < 300)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await browser.give("Ada", on: page).isPage(400))
            #expect(try await platform.countNameless() == 1)
        }
    }

    @Test("the response keeps the mode, any state, and the key of the request")
    func returned() async throws {
        try await RequiredName.run { platform, browser, request in
            for state in [nil, "a b&\r\n<\u{600}>\"", String(repeating: "é", count: 2048)] as [String?] {
                let page = try await browser.signInWithoutName(request, changing: ["state": state])
                let back = try await browser.give("Ada", on: page)
                #expect(back["code"] != nil && back["state"] == state, "\(state?.prefix(10) ?? "") \(back.body)")
                browser.cookies = [:]
            }
            let posted = try await browser.signInWithoutName(request, changing: ["response_mode": "form_post"])
            let back = try await browser.give("Ada", on: posted)
            #expect(back.status == 200 && back.body.contains("name=\"code\"") && back.body.contains(request.state))
            let key = try ClientKey(nil)
            let bound = try await browser.signInWithoutName(request, changing: ["dpop_jkt": key.thumbprint])
            let code = try #require(try await browser.give("Ada", on: bound)["code"])
            #expect(try await browser.redeem(code, request).status == 400)
        }
    }

    @Test("a browser sends a limited number of forms, with names and without")
    func limited() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            for _ in 0..<20 { #expect(try await browser.give("", on: page).status == 400) }
            var answers: [TestBrowser.Answer] = []
            while answers.count < 60, answers.last?["error"] == nil { answers.append(try await browser.give("Ada", on: page)) }
            #expect((10..<60).contains(answers.count), "\(answers.count)")
            #expect(answers.last?.reports(request, "temporarily_unavailable") == true)
            #expect(try await browser.give("", on: page).reports(request, "temporarily_unavailable"))
        }
    }

    @Test("a huge form is refused, and huge names get a page or a code")
    func huge() async throws {
        try await RequiredName.run { platform, browser, request in
            let page = try await browser.signInWithoutName(request)
            #expect(try await browser.give(String(repeating: "x", count: 70_000), on: page).status == 413)
            #expect(try await browser.give(String(repeating: "\u{200D}", count: 6000), on: page).asksForName(400))
            #expect(try await browser.give("e" + String(repeating: "\u{301}", count: 9000), "L", on: page)["code"] != nil)
            #expect(try await platform.count("tenant_user", where: "given_name IS NULL AND family_name = 'L'") == 1)
        }
    }

    @Test("on the shared connection, the page does not explain how to reset the sign-in, which would end those of all tenants")
    func sharedConnection() async throws {
        try await RequiredName.run { platform, browser, _ in
            let request = TestBrowser.Request(platform.globex)
            let path = "/tenants/globex/applications/\(request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["requires_name": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let page = try await browser.signInWithoutName(request)
            #expect(page.asksForName(setsCookies: true) && page.body.contains("Sign in again"))
            for text in ["Stop Using", "account.apple.com", "<h2>", "<ol>"] { #expect(!page.body.contains(text), "\(text)") }
            #expect(try await browser.give("Ada", on: page)["code"] != nil)
        }
    }

    /// The cookie of the login attempt.
    private static func secret(of browser: TestBrowser) -> (key: String, value: String)? {
        browser.cookies.first { !$0.key.hasSuffix("-q") }
    }

    private static func newestUser(_ platform: TestPlatform) async throws -> ID<User> {
        try await platform.ownerPool.run("SELECT id FROM tenant_user ORDER BY created_at DESC LIMIT 1")[0].get("id")
    }
}
