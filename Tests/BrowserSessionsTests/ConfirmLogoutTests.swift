import Access
import BrowserSessions
import Foundation
import NIOHTTP1
import Postgres
import Sealing
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Confirmed logout")
struct ConfirmLogoutTests {
    private static let home = "https://app.test/bye"

    private static func run(_ body: @Sendable @escaping (SingleSignOn) async throws -> Void) async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.platform.ownerPool.run(SQL(unsafe: "UPDATE application SET logout_uris = '{\(home),\(home)?a=b}'"))
            sso.platform.installation.directory.forgetAll(isFresh: true)
            try await body(sso)
        }
    }

    /// The parameters of a logout from Acme's first application.
    private static func parameters(_ sso: SingleSignOn, to uri: String? = home, state: String? = "s") -> [(String, String)] {
        let client = sso.platform.acme.applications[0].client_id
        let parameters = [("client_id", client), ("post_logout_redirect_uri", uri), ("state", state)]
        return parameters.compactMap { name, value in value.map { (name, $0) } }
    }

    private static func ask(_ sso: SingleSignOn, _ parameters: [(String, String)]) async throws -> TestBrowser.Answer {
        try await sso.browser.get(TestBrowser.Request.url("\(sso.platform.acme.issuer)/oauth2/logout", parameters))
    }

    /// Whether a page asks. It must not have ended anything.
    private static func asks(_ page: TestBrowser.Answer) -> Bool {
        page.isPage(200) && page.body.contains("<title>Sign out of ") && form(page) != nil
    }

    private static func form(_ page: TestBrowser.Answer) -> TestBrowser.AppleForm? {
        TestBrowser.AppleForm(html: page.body)
    }

    private static func press(
        _ sso: SingleSignOn, _ page: TestBrowser.Answer, ticket: String? = nil, headers: [(String, String)] = []
    ) async throws -> TestBrowser.Answer {
        let form = try #require(Self.form(page))
        let fields = ticket.map { [("ticket", $0)] } ?? form.fields
        return try await sso.browser.post(TestPlatform.publicURL + form.action, form: fields, headers: headers)
    }

    @Test("without an id_token, a page asks; the confirmation ends the sessions of all applications, and the browser returns")
    func confirmed() async throws {
        try await Self.run { sso in
            let logins = [try await sso.signIn(), try await sso.signInSilently()]
            let other = try await sso.elsewhere.signIn()
            let cookie = try #require(sso.cookie)
            let page = try await Self.ask(sso, Self.parameters(sso, state: "a b&\r\n<c>=\u{600}"))
            #expect(Self.asks(page))
            let names = ["Ada Lovelace", "Stay signed in"]
            for name in names { #expect(page.body.contains(name), "\(name)") }
            #expect(page.header("Content-Security-Policy")?.contains("form-action 'self' https:;") == true)
            for login in logins { #expect(try await login.lasts()) }

            let done = try await Self.press(sso, page)
            #expect(done.status == 303 && done.location == "\(Self.home)?state=a%20b%26%0D%0A%3Cc%3E%3D%D8%80", "\(done.body)")
            #expect(sso.cookie == nil)
            for login in logins { #expect(try await !login.lasts()) }
            #expect(try await other.lasts())
            #expect(try await sso.with(cookie).needsApple())
            let audited = try await sso.platform.audited("browser_session.logout")
            #expect(audited.map(\.actor) == [sso.platform.acme.applications[0].client_id])
            // The same form again gets the same response, and a new request has nothing to ask.
            let again = try await Self.press(sso, page)
            #expect(again.status == 303 && again.location == done.location)
            #expect(try await Self.ask(sso, Self.parameters(sso)).location == "\(Self.home)?state=s")
            #expect(try await sso.platform.audited("browser_session.logout").count == 1)
        }
    }

    @Test("without an application and an address, the person stays on a page")
    func bare() async throws {
        try await Self.run { sso in
            let login = try await sso.signIn()
            let page = try await Self.ask(sso, [("state", "s"), ("logout_hint", login.user), ("ui_locales", "de")])
            #expect(page.status == 200 && page.body.contains("abmelden?</title>") && !page.body.contains("Angemeldet bleiben"))
            let done = try await Self.press(sso, page)
            #expect(done.status == 200 && done.body.contains("Sie sind abgemeldet"), "\(done.body)")
            #expect(try await !login.lasts())
            #expect(try await sso.platform.audited("browser_session.logout").map(\.actor) == ["system"])
            let again = try await Self.press(sso, page)
            #expect(again.status == 200 && again.body.contains("Sie sind abgemeldet"))
        }
    }

    @Test("a person who stays signed in returns to the application with its state, and nothing ends")
    func refused() async throws {
        try await Self.run { sso in
            let login = try await sso.signIn()
            let page = try await Self.ask(sso, Self.parameters(sso, to: "\(Self.home)?a=b"))
            #expect(page.body.contains(#"<a class="button refusal" href="\#(Self.home)?a=b&amp;state=s">"#), "\(page.body)")
            #expect(try await login.lasts())
            #expect(try await sso.signInSilently().user == login.user)
        }
    }

    @Test("a request of another site, without the browser's ticket or with another one's ends nothing")
    func forged() async throws {
        try await Self.run { sso in
            let (login, other) = (try await sso.signIn(), sso.elsewhere)
            _ = try await other.signIn("Grace Hopper")
            let (page, foreign) = (try await Self.ask(sso, Self.parameters(sso)), try await Self.ask(other, Self.parameters(sso)))
            let ticket = try #require(Self.form(page)?["ticket"])
            for headers in [
                [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")], [("Origin", "https://evil.test")],
                [("Origin", "null")], [("Origin", TestPlatform.publicURL), ("Sec-Fetch-Site", "cross-site")],
            ] { #expect(Self.asks(try await Self.press(sso, page, headers: headers)), "\(headers)") }
            for wrong in ["", "x", ticket + "x", String(ticket.dropLast(2)), try #require(Self.form(foreign)?["ticket"])] {
                #expect(Self.asks(try await Self.press(sso, page, ticket: wrong)), "\(wrong)")
            }
            #expect(try await login.lasts())
            let own = [("Sec-Fetch-Site", "same-origin"), ("Origin", TestPlatform.publicURL)]
            #expect(try await Self.press(sso, page, headers: own).status == 303)
            #expect(try await !login.lasts())
        }
    }

    @Test("a ticket is of one tenant, and counts for 15 minutes")
    func expired() throws {
        let (keyring, now) = (try Keyring([.generate()]), Date())
        let (session, tenant) = (ID<BrowserSession>(at: now), ID<Tenant>(at: now))
        let ticket = SignOutTicket(session, of: tenant, at: now).sealed(with: keyring)
        func opened(_ tenant: ID<Tenant>, after age: TimeInterval) -> ID<BrowserSession>? {
            SignOutTicket(opening: ticket, of: tenant, with: keyring, at: now.addingTimeInterval(age))?.session
        }
        #expect(opened(tenant, after: 899) == session)
        #expect(opened(tenant, after: 901) == nil)
        #expect(opened(ID(at: now), after: 0) == nil)
    }

    @Test("the question is only for a browser with a sign-in, and only if the request is valid")
    func unasked() async throws {
        try await Self.run { sso in
            let back = "\(Self.home)?state=s"
            #expect(try await Self.ask(sso, Self.parameters(sso)).location == back)
            let login = try await sso.signIn()
            let cookie = try #require(sso.cookie)
            for uri in ["https://evil.test/", TestPlatform.redirectURI] {
                #expect(try await Self.ask(sso, Self.parameters(sso, to: uri)).isPage(400))
            }
            #expect(try await Self.ask(sso, [("client_id", "app_x")]).isPage(400))
            #expect(try await Self.ask(sso, [("post_logout_redirect_uri", Self.home)]).isPage(400))
            #expect(try await login.lasts())
            // An unreadable cookie costs no statement.
            let stranger = sso.with(String(repeating: "A", count: 96))
            #expect(try await Self.ask(stranger, Self.parameters(sso)).location == back)
            // The browser's sign-in has ended.
            _ = try await sso.platform.call("POST", "/tenants/acme/users/\(login.user)/sessions/revoke")
            #expect(try await Self.ask(sso.with(cookie), Self.parameters(sso)).location == back)
        }
    }

    @Test("if the browser has signed in again since the question, the page asks again")
    func signedInAgain() async throws {
        try await Self.run { sso in
            _ = try await sso.signIn()
            let page = try await Self.ask(sso, Self.parameters(sso))
            let next = try await sso.signIn("Grace Hopper", ["prompt": "login"])
            let second = try await Self.press(sso, page)
            #expect(Self.asks(second) && second.body.contains("Grace Hopper"))
            #expect(try await next.lasts())
            #expect(try await Self.press(sso, second).status == 303)
            #expect(try await !next.lasts())
        }
    }

    @Test("an id_token of another user ends its own session, and the page asks about the browser's sign-in")
    func otherUser() async throws {
        try await Self.run { sso in
            let grace = try await sso.elsewhere.signIn("Grace Hopper")
            let ada = try await sso.signIn()
            let page = try await Self.ask(sso, [("id_token_hint", grace.idToken), ("post_logout_redirect_uri", Self.home)])
            #expect(Self.asks(page) && page.body.contains("Ada Lovelace"))
            #expect(try await !grace.lasts())
            #expect(try await ada.lasts())
            #expect(try await Self.press(sso, page).location == Self.home)
            #expect(try await !ada.lasts())
        }
    }

    @Test("an unknown tenant gets a page")
    func unknownTenant() async throws {
        try await Self.run { sso in
            let url = "\(TestPlatform.publicURL)/t/initech/oauth2/logout/confirmation"
            let unknown = try await sso.browser.post(url, form: [("ticket", "x")])
            #expect(unknown.isPage(404))
            let own = "\(sso.platform.acme.issuer)/oauth2/logout/confirmation"
            let repeated = try await sso.browser.post("\(own)?client_id=x&client_id=x", form: [("ticket", "x")])
            #expect(repeated.isPage(400))
        }
    }
}
