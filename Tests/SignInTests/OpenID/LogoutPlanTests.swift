import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// The OpenID Foundation's plans for logout: RP-initiated, front-channel, back-channel, and session management. The tenant has single
/// sign-on, because the plans need a session in the browser.
@Suite("oidcc-rp-initiated-logout-certification-test-plan")
struct LogoutPlanTests {
    private static let home = "https://app.test/bye"
    private static let out = "https://app.test/out"

    private static func run(
        _ settings: String = "", _ body: @Sendable @escaping (RelyingParty) async throws -> Void
    ) async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.call("PATCH", "/tenants/acme", ["single_sign_on": true]).status == 200)
            _ = try await platform.ownerPool.run(
                SQL(unsafe: "UPDATE application SET logout_uris = '{\(home),\(home)?foo=bar}'\(settings.isEmpty ? "" : ", ")\(settings)"))
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(try await RelyingParty(platform))
        }
    }

    /// Sends the browser to the end session endpoint.
    private static func logout(_ party: RelyingParty, _ parameters: [(String, String?)]) async throws -> TestBrowser.Answer {
        let given = parameters.compactMap { name, value in value.map { (name, $0) } }
        return try await party.browser.get(TestBrowser.Request.url(party.string("end_session_endpoint"), given))
    }

    private static func hint(_ login: RelyingParty.Login) -> (String, String?) { ("id_token_hint", login.answer.string("id_token")) }

    /// Whether the browser is signed in: `prompt=none` gets a code.
    private static func isSignedIn(_ party: RelyingParty) async throws -> Bool {
        let answer = try await party.authorize(["prompt": "none"])
        if answer["code"] != nil { return true }
        #expect(answer["error"] == "login_required")
        return false
    }

    /// Presses "Sign out" on the page that asks.
    private static func confirm(_ party: RelyingParty, _ page: TestBrowser.Answer) async throws -> TestBrowser.Answer {
        #expect(page.isPage(200) && page.body.contains("Sign out of"), "\(page.status) \(page.body)")
        let form = try #require(TestBrowser.AppleForm(html: page.body))
        return try await party.browser.post(TestPlatform.publicURL + form.action, form: form.fields)
    }

    // MARK: oidcc-rp-initiated-logout-certification-test-plan

    @Test("oidcc-rp-initiated-logout-discovery-endpoint-verification: the document has end_session_endpoint, on https")
    func discovery() async throws {
        try await Self.run { party in
            #expect(party.string("end_session_endpoint").hasPrefix("https://"))
        }
    }

    @Test("oidcc-rp-initiated-logout: the browser returns with the state, and is no longer signed in")
    func all() async throws {
        try await Self.run { party in
            let login = try await party.login()
            #expect(try await Self.isSignedIn(party))
            let back = try await Self.logout(party, [Self.hint(login), ("post_logout_redirect_uri", Self.home), ("state", "xyz")])
            #expect(back.status == 303 && back.location == "\(Self.home)?state=xyz")
            #expect(try await !Self.isSignedIn(party))
        }
    }

    @Test("oidcc-rp-initiated-logout-bad-post-logout-redirect-uri: a page, and no redirect")
    func badURI() async throws {
        try await Self.run { party in
            let login = try await party.login()
            let answer = try await Self.logout(party, [Self.hint(login), ("post_logout_redirect_uri", "\(Self.home)/x"), ("state", "xyz")])
            #expect(answer.isPage(400))
        }
    }

    @Test("oidcc-rp-initiated-logout-modified-id-token-hint: a page, no redirect, and the browser stays signed in")
    func modifiedHint() async throws {
        try await Self.run { party in
            let token = try #require(try await party.login().answer.string("id_token"))
            let changed = String(token.dropLast(8)) + "AAAAAAAA"
            let answer = try await Self.logout(party, [("id_token_hint", changed), ("post_logout_redirect_uri", Self.home)])
            #expect(answer.isPage(400))
            #expect(try await Self.isSignedIn(party))
        }
    }

    @Test("oidcc-rp-initiated-logout-bad-id-token-hint: a page, no redirect, and the browser stays signed in")
    func badHint() async throws {
        try await Self.run { party in
            _ = try await party.login()
            let answer = try await Self.logout(party, [("id_token_hint", "x.y.z"), ("post_logout_redirect_uri", Self.home)])
            #expect(answer.isPage(400))
            #expect(try await Self.isSignedIn(party))
        }
    }

    @Test("oidcc-rp-initiated-logout-no-id-token-hint: the page asks, and no address without an application is followed")
    func noHint() async throws {
        try await Self.run { party in
            _ = try await party.login()
            let answer = try await Self.logout(party, [("post_logout_redirect_uri", Self.home), ("state", "xyz")])
            #expect(answer.isPage(400))
            let client = ("client_id", Optional(party.request.application.client_id))
            let page = try await Self.logout(party, [client, ("post_logout_redirect_uri", Self.home), ("state", "xyz")])
            #expect(try await Self.confirm(party, page).location == "\(Self.home)?state=xyz")
            #expect(try await !Self.isSignedIn(party))
        }
    }

    @Test("oidcc-rp-initiated-logout-no-params: the page asks, and the person stays on a page")
    func noParameters() async throws {
        try await Self.run { party in
            _ = try await party.login()
            let done = try await Self.confirm(party, try await Self.logout(party, []))
            #expect(done.status == 200 && done.body.contains("You are signed out"))
            #expect(try await !Self.isSignedIn(party))
        }
    }

    @Test("oidcc-rp-initiated-logout-no-post-logout-redirect-uri: the person stays on a page")
    func noURI() async throws {
        try await Self.run { party in
            let done = try await Self.logout(party, [Self.hint(try await party.login()), ("state", "xyz")])
            #expect(done.status == 200 && done.location == nil && done.body.contains("You are signed out"))
            #expect(try await !Self.isSignedIn(party))
        }
    }

    @Test("oidcc-rp-initiated-logout-no-state: the browser returns without a state")
    func noState() async throws {
        try await Self.run { party in
            let back = try await Self.logout(party, [Self.hint(try await party.login()), ("post_logout_redirect_uri", Self.home)])
            #expect(back.location == Self.home)
            #expect(try await !Self.isSignedIn(party))
        }
    }

    @Test("oidcc-rp-initiated-logout-only-state: the page asks, and the person stays on a page")
    func onlyState() async throws {
        try await Self.run { party in
            _ = try await party.login()
            let done = try await Self.confirm(party, try await Self.logout(party, [("state", "xyz")]))
            #expect(done.status == 200 && done.location == nil)
            #expect(try await !Self.isSignedIn(party))
        }
    }

    @Test("oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: a page, and no redirect")
    func addedQuery() async throws {
        try await Self.run { party in
            let login = try await party.login()
            #expect(try await Self.logout(party, [Self.hint(login), ("post_logout_redirect_uri", "\(Self.home)?foo=baz")]).isPage(400))
            let registered = [Self.hint(login), ("post_logout_redirect_uri", "\(Self.home)?foo=bar"), ("state", "s")]
            #expect(try await Self.logout(party, registered).location == "\(Self.home)?foo=bar&state=s")
        }
    }

    // MARK: oidcc-frontchannel-rp-initiated-logout-certification-test-plan

    @Test("oidcc-frontchannel-logout-discovery-endpoint-verification: the document names front-channel logout, with the session")
    func frontchannelDiscovery() async throws {
        try await Self.run { party in
            #expect(party.metadata["frontchannel_logout_supported"] as? Bool == true)
            #expect(party.metadata["frontchannel_logout_session_supported"] as? Bool == true)
        }
    }

    @Test("oidcc-frontchannel-rp-initiated-logout: the page loads the address with iss and sid, and returns with the state")
    func frontchannel() async throws {
        try await Self.run("frontchannel_logout_uri = '\(Self.out)'") { party in
            let login = try await party.login()
            let page = try await Self.logout(party, [Self.hint(login), ("post_logout_redirect_uri", Self.home), ("state", "xyz")])
            let source = try #require(page.body.firstMatch(of: /<iframe [^>]*src="([^"]*)"/)).1
            let frame = String(source).replacing("&amp;", with: "&")
            let query = URLComponents(string: frame)?.queryItems ?? []
            #expect(frame.hasPrefix("\(Self.out)?"))
            #expect(query.first { $0.name == "iss" }?.value == party.string("issuer"))
            #expect(query.first { $0.name == "sid" }?.value == login.idToken["sid"] as? String)
            #expect(page.body.contains("content=\"0; url=\(Self.home)?state=xyz\""))
            #expect(try await !Self.isSignedIn(party))
        }
    }

    // MARK: oidcc-backchannel-rp-initiated-logout-certification-test-plan

    @Test("oidcc-backchannel-logout-discovery-endpoint-verification: the document names back-channel logout, with the session")
    func backchannelDiscovery() async throws {
        try await Self.run { party in
            #expect(party.metadata["backchannel_logout_supported"] as? Bool == true)
            #expect(party.metadata["backchannel_logout_session_supported"] as? Bool == true)
        }
    }

    @Test("oidcc-backchannel-rp-initiated-logout: the session gets a logout token, and the browser returns with the state")
    func backchannel() async throws {
        try await Self.run("backchannel_logout_uri = 'https://app.invalid/logout'") { party in
            let login = try await party.login()
            let back = try await Self.logout(party, [Self.hint(login), ("post_logout_redirect_uri", Self.home), ("state", "xyz")])
            #expect(back.location == "\(Self.home)?state=xyz")
            // `DeliverLogoutTokenTests` proves what an application receives.
            let owed = try await party.platform.ownerPool.run("SELECT public_id('session', session_id) AS sid FROM backchannel_logout")
            #expect(try owed.map { try $0.get("sid", as: String.self) } == [login.idToken["sid"] as? String])
            #expect(try await !Self.isSignedIn(party))
        }
    }

    // MARK: oidcc-session-management-certification-test-plan

    @Test("oidcc-session-management-discovery-endpoint-verification: there is no check_session_iframe")
    func sessionManagementDiscovery() async throws {
        try await Self.run { party in
            #expect(party.metadata["check_session_iframe"] == nil)
        }
    }

    @Test("oidcc-session-management-rp-initiated-logout: a response has no session_state")
    func sessionManagement() async throws {
        try await Self.run { party in
            let back = try await party.signIn()
            #expect(back["code"] != nil && back["session_state"] == nil)
        }
    }
}
