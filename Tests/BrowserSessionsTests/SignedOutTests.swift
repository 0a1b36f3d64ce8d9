import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Logout of a browser at all applications")
struct SignedOutTests {
    private static let home = "https://app.test/bye"

    private static func run(_ body: @Sendable @escaping (SingleSignOn) async throws -> Void) async throws {
        try await SingleSignOn.run { sso in
            let uris = "logout_uris = '{\(home)}', backchannel_logout_uri = 'https://app.invalid/logout'"
            _ = try await sso.platform.ownerPool.run(SQL(unsafe: "UPDATE application SET \(uris)"))
            sso.platform.installation.directory.forgetAll(isFresh: true)
            try await body(sso)
        }
    }

    private static func logout(_ sso: SingleSignOn, _ idToken: String) async throws -> TestBrowser.Answer {
        let parameters = [("id_token_hint", idToken), ("post_logout_redirect_uri", home), ("state", "s")]
        return try await sso.browser.get(TestBrowser.Request.url("\(sso.platform.acme.issuer)/oauth2/logout", parameters))
    }

    @Test("a logout at one application ends the sessions of all that were started in the browser, and notifies each", arguments: [0, 1])
    func everywhere(at place: Int) async throws {
        try await Self.run { sso in
            let logins = [try await sso.signIn(), try await sso.signInSilently(), try await sso.signInSilently(at: 2)]
            let others = [try await sso.elsewhere.signIn("Ada Lovelace"), try await sso.elsewhere.signIn("Grace Hopper")]
            try await sso.platform.subscribe(sso.platform.acme)
            let cookie = try #require(sso.cookie)
            let answer = try await Self.logout(sso, logins[place].idToken)
            #expect(answer.status == 303 && answer.location == "\(Self.home)?state=s")
            #expect(sso.cookie == nil)
            for login in logins { #expect(try await !login.lasts()) }
            for login in others { #expect(try await login.lasts()) }
            #expect(try await sso.platform.count("backchannel_logout") == 3)
            #expect(Set(try await sso.rows().map(\.reason)) == ["logout", nil])
            #expect(try await sso.platform.audited("browser_session.logout").count == 1)
            let events = try await sso.platform.events("session.revoked")
            #expect(events.map { $0["reason"] as? String } == ["logout"])
            #expect(events.first?["revoked"] as? Int == 3)
            // Neither the removed cookie nor a second logout works.
            #expect(try await sso.needsApple())
            #expect(try await sso.with(cookie).needsApple())
            #expect(try await Self.logout(sso, logins[place].idToken).status == 303)
            #expect(try await sso.platform.audited("browser_session.logout").count == 1)
        }
    }

    @Test("a code that was not redeemed before the logout gets no tokens, with and without Apple")
    func codes() async throws {
        try await Self.run { sso in
            let first = try await sso.signIn()
            let silent = try await sso.ask(["prompt": "none"])
            let request = TestBrowser.Request(sso.platform.acme)
            let toApple = try await sso.browser.get(request.authorizeURL(changing: ["prompt": "login"]))
            let back = try await sso.browser.callback(try await sso.browser.atApple(toApple, person: "Ada Lovelace"))
            _ = try await Self.logout(sso, first.idToken)
            let code = try #require(silent.answer["code"])
            #expect(try await sso.browser.redeem(code, silent.request).isOAuthError(400, "invalid_grant"))
            #expect(try await sso.browser.redeem(try #require(back["code"]), request).isOAuthError(400, "invalid_grant"))
            #expect(try await sso.platform.countBilled() == 1)
        }
    }

    @Test("a logout while the applications do not share one sign-in also ends the browser's sign-in")
    func turnedOff() async throws {
        try await Self.run { sso in
            func share(_ on: Bool) async throws {
                _ = try await sso.platform.call("PATCH", "/tenants/acme", ["single_sign_on": on])
                sso.platform.installation.directory.forgetAll(isFresh: true)
            }
            let logins = [try await sso.signIn(), try await sso.signInSilently()]
            let cookie = try #require(sso.cookie)
            try await share(false)
            #expect(try await Self.logout(sso, logins[0].idToken).status == 303)
            for login in logins { #expect(try await !login.lasts()) }
            #expect(sso.cookie == nil)
            try await share(true)
            #expect(try await sso.with(cookie).needsApple())
        }
    }

    @Test("the browser needs no cookie, because the id_token names the session")
    func withoutCookie() async throws {
        try await Self.run { sso in
            let logins = [try await sso.signIn(), try await sso.signInSilently()]
            _ = try await Self.logout(sso.elsewhere, logins[1].idToken)
            for login in logins { #expect(try await !login.lasts()) }
            #expect(try await sso.needsApple())
        }
    }

    @Test("an expired sign-in of the browser still ends all its sessions")
    func expired() async throws {
        try await Self.run { sso in
            let logins = [try await sso.signIn(), try await sso.signInSilently()]
            _ = try await sso.platform.ownerPool.run("DELETE FROM browser_session")
            _ = try await Self.logout(sso.elsewhere, logins[0].idToken)
            for login in logins { #expect(try await !login.lasts()) }
        }
    }

    @Test("the page about a logout that ends nothing leads back to an application, but not to one of a third party")
    func wayBack() async throws {
        try await Self.run { sso in
            let client = sso.platform.acme.applications[0].client_id
            let address = TestBrowser.Request.url("\(sso.platform.acme.issuer)/oauth2/logout", [("client_id", client)])
            for isThirdParty in [false, true] {
                let changes: [String: any Sendable] = ["login_url": "https://app.test/login", "is_third_party": isThirdParty]
                #expect(try await sso.platform.call("PATCH", "/tenants/acme/applications/\(client)", changes).status == 200)
                sso.platform.installation.directory.forgetAll(isFresh: true)
                let page = try await sso.elsewhere.browser.get(address)
                #expect(page.isPage(200) && page.body.contains("You are not signed out"), "\(page.status) \(page.body)")
                #expect(page.body.contains("https://app.test/login") != isThirdParty)
            }
        }
    }

    @Test("an id_token of another user ends nothing in this browser; a request without one ends nothing at all")
    func others() async throws {
        try await Self.run { sso in
            let grace = try await sso.elsewhere.signIn("Grace Hopper")
            let ada = try await sso.signIn()
            let cookie = sso.cookie
            _ = try await Self.logout(sso, grace.idToken)
            #expect(try await ada.lasts())
            #expect(try await !grace.lasts())
            #expect(sso.cookie == cookie)
            let client = ada.request.application.client_id
            let parameters = [("client_id", client), ("post_logout_redirect_uri", Self.home)]
            let url = "\(sso.platform.acme.issuer)/oauth2/logout"
            for address in [TestBrowser.Request.url(url, parameters), url] {
                let page = try await sso.browser.get(address)
                #expect(page.isPage(200) && page.body.contains("Sign out of"))
                let stranger = try await sso.elsewhere.browser.get(address)
                #expect(stranger.status == 303 || stranger.isPage(200) && stranger.body.contains("You are not signed out"))
            }
            #expect(try await ada.lasts())
            #expect(try await sso.signInSilently().user == ada.user)
        }
    }

    @Test("a cookie of the same user ends the browser's newer sign-in, though the id_token is older")
    func newer() async throws {
        try await Self.run { sso in
            let old = try await sso.signIn()
            _ = try await Self.logout(sso, old.idToken)
            let new = try await sso.signIn()
            _ = try await Self.logout(sso, old.idToken)
            #expect(try await !new.lasts())
            #expect(try await sso.needsApple())
        }
    }
}
