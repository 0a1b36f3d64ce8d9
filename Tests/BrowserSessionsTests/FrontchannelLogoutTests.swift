import Access
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// OpenID Connect Front-Channel Logout 1.0.
@Suite("Front-channel logout")
struct FrontchannelLogoutTests {
    private static let home = "https://app.test/bye"

    /// Acme's applications, with an address for front-channel logout at each of these places.
    private static func run(
        _ addresses: [Int: String], _ body: @Sendable @escaping (SingleSignOn) async throws -> Void
    ) async throws {
        try await SingleSignOn.run { sso in
            _ = try await sso.platform.ownerPool.run(SQL(unsafe: "UPDATE application SET logout_uris = '{\(home)}'"))
            for (place, address) in addresses {
                let client = ID<Tenancy.Application>(sso.platform.acme.applications[place].client_id)!
                _ = try await sso.platform.ownerPool.run(
                    "UPDATE application SET frontchannel_logout_uri = \(address) WHERE id = \(client)")
            }
            sso.platform.installation.directory.forgetAll(isFresh: true)
            try await body(sso)
        }
    }

    private static func logout(
        _ sso: SingleSignOn, _ idToken: String, to uri: String? = home
    ) async throws -> TestBrowser.Answer {
        let parameters = [("id_token_hint", idToken), ("post_logout_redirect_uri", uri), ("state", "a&b")]
        return try await sso.browser.get(
            TestBrowser.Request.url(
                "\(sso.platform.acme.issuer)/oauth2/logout", parameters.compactMap { name, value in value.map { (name, $0) } }))
    }

    /// The addresses of a page's frames.
    private static func frames(_ page: TestBrowser.Answer) -> [String] {
        page.body.matches(of: /<iframe [^>]*src="([^"]*)"/).map { String($0.1).replacing("&amp;", with: "&") }
    }

    private static func frameSources(_ page: TestBrowser.Answer) -> String? {
        page.header("Content-Security-Policy")?.firstMatch(of: /frame-src ([^;]*);/).map { String($0.1) }
    }

    private static func address(_ uri: String, _ sso: SingleSignOn, _ login: SingleSignOn.Login) -> String {
        let issuer = sso.platform.acme.issuer.replacing(":", with: "%3A").replacing("/", with: "%2F")
        return "\(uri)iss=\(issuer)&sid=\(login.claims["sid"] as? String ?? "")"
    }

    @Test("the page loads the address of each application of the browser in a frame, with its newest session, and leads on")
    func story() async throws {
        let (first, second) = ("https://a.test/out?x=\"><script>", "https://b.test:8443/out")
        try await Self.run([0: first, 1: second]) { sso in
            let logins = [try await sso.signIn(), try await sso.signInSilently(), try await sso.signInSilently(at: 2)]
            let newest = try await sso.signInSilently()
            let page = try await Self.logout(sso, logins[0].idToken)
            #expect(page.status == 200 && page.body.contains("You are signed out"), "\(page.body)")
            #expect(
                Self.frames(page) == [
                    Self.address("\(second)?", sso, newest),
                    Self.address("\(first)&".replacing("\"", with: "&quot;").replacing("<", with: "&lt;"), sso, logins[0])
                        .replacing(">", with: "&gt;"),
                ])
            #expect(Self.frameSources(page) == "https://b.test:8443 https://a.test")
            #expect(page.body.contains(#"<meta http-equiv="refresh" content="0; url=\#(Self.home)?state=a%26b">"#))
            #expect(page.body.contains(#"href="\#(Self.home)?state=a%26b""#))
            #expect(!page.body.contains("<script"))
            #expect(page.header("Referrer-Policy") == "no-referrer" && page.header("Cache-Control") == "no-store")
            #expect(page.header("Content-Security-Policy")?.contains("frame-ancestors 'none'") == true)
            #expect(sso.cookie == nil)
            for login in logins + [newest] { #expect(try await !login.lasts()) }
            // All is over, so there is nothing to load.
            #expect(try await Self.logout(sso, logins[0].idToken).status == 303)
        }
    }

    @Test("without a return address, the page stays; a confirmed logout loads the frames too")
    func confirmed() async throws {
        try await Self.run([0: "https://a.test/out"]) { sso in
            let login = try await sso.signIn()
            let page = try await Self.logout(sso, login.idToken, to: nil)
            #expect(page.status == 200 && Self.frames(page) == [Self.address("https://a.test/out?", sso, login)])
            #expect(!page.body.contains("http-equiv=\"refresh\"") && page.body.contains("You can close this page."))

            let next = try await sso.signIn()
            let question = try await sso.browser.get("\(sso.platform.acme.issuer)/oauth2/logout")
            let form = try #require(TestBrowser.AppleForm(html: question.body))
            #expect(Self.frames(question).isEmpty && Self.frameSources(question) == nil)
            let done = try await sso.browser.post(TestPlatform.publicURL + form.action, form: form.fields)
            #expect(Self.frames(done) == [Self.address("https://a.test/out?", sso, next)])
        }
    }

    @Test("an application that does not need the session gets no iss and no sid")
    func withoutSession() async throws {
        try await Self.run([0: "https://a.test/out"]) { sso in
            _ = try await sso.platform.ownerPool.run("UPDATE application SET frontchannel_logout_session_required = false")
            sso.platform.installation.directory.forgetAll(isFresh: true)
            let login = try await sso.signIn()
            #expect(try await Self.frames(Self.logout(sso, login.idToken)) == ["https://a.test/out"])
        }
    }

    @Test("the browser is redirected at once if no application of it has an address, and without single sign-on")
    func redirected() async throws {
        try await Self.run([1: "https://b.test/out"]) { sso in
            let login = try await sso.signIn()
            // Another browser's session of the same user does not count.
            _ = try await sso.elsewhere.signIn(at: 1)
            #expect(try await Self.logout(sso, login.idToken).location == "\(Self.home)?state=a%26b")
            _ = try await sso.platform.call("PATCH", "/tenants/acme", ["single_sign_on": false])
            sso.platform.installation.directory.forgetAll(isFresh: true)
            let single = try await sso.signIn(at: 1)
            #expect(try await Self.logout(sso.elsewhere, single.idToken).status == 303)
        }
    }

    @Test("a page has at most 20 frames, of the newest applications; the back channel notifies all")
    func limit() async throws {
        try await Self.run([:]) { sso in
            let first = try await sso.signIn()
            _ = try await sso.platform.ownerPool.run(
                """
                WITH more AS (
                    INSERT INTO application (tenant_id, id, kind, name, redirect_uris, logout_uris, bundle_ids, access_token_seconds,
                        session_seconds, idle_seconds, signing_algorithm, backchannel_logout_uri, frontchannel_logout_uri, created_at,
                        updated_at)
                    SELECT a.tenant_id, gen_random_uuid(), 'spa', 'App', a.redirect_uris, a.logout_uris, a.bundle_ids,
                        a.access_token_seconds, a.session_seconds, a.idle_seconds, a.signing_algorithm, 'https://a.invalid/',
                        'https://a' || n || '.test/out', a.created_at, a.updated_at
                    FROM application a, generate_series(1, 25) n
                    WHERE a.id = \(ID<Tenancy.Application>(first.request.application.client_id)!)
                    RETURNING tenant_id, id)
                INSERT INTO session (tenant_id, id, application_id, user_id, scope, created_at, expires_at, refreshed_at,
                    browser_session_id, is_silent)
                SELECT s.tenant_id, overlay(gen_random_uuid()::text PLACING left(s.id::text, 15) FROM 1 FOR 15)::uuid, more.id, s.user_id,
                    s.scope, s.created_at, s.expires_at, s.refreshed_at, s.browser_session_id, true
                FROM more, session s
                """)
            sso.platform.installation.directory.forgetAll(isFresh: true)
            let page = try await Self.logout(sso, first.idToken)
            let frames = Self.frames(page)
            #expect(frames.count == 20 && Set(frames).count == 20, "\(page.status)")
            #expect(Self.frameSources(page)?.split(separator: " ").count == 20)
            #expect(try await sso.platform.count("backchannel_logout") == 25)
        }
    }
}
