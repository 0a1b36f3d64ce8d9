import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Revoked consent")
struct RevokeConsentTests {
    private static func revoke(_ sso: SingleSignOn, _ user: String) async throws -> TestBrowser.Answer {
        let id = try #require(try await sso.consents(of: user).first?["id"] as? String)
        return try await sso.platform.call("DELETE", "/tenants/acme/users/\(user)/consents/\(id)")
    }

    @Test("the sessions of the application end, and the page asks again, even for fewer scopes")
    func revoked() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn(at: 2, ["scope": "openid"])
            let login = try await sso.allow()
            let other = try await sso.signInSilently()
            try await sso.platform.subscribe(sso.platform.acme)
            #expect(try await Self.revoke(sso, first.user).status == 204)
            for ended in [first, login] { #expect(try await !ended.lasts()) }
            #expect(try await other.lasts())
            #expect(try await sso.consents(of: first.user).isEmpty)
            for scope in ["openid", "openid profile email"] { #expect(try await sso.needsConsent(["scope": scope], at: 2)) }
            let events = try await sso.platform.events("session.revoked")
            #expect(events.map { $0["revoked"] as? Int } == [2])
            let actors = try await sso.platform.webhookActors("session.revoked")
            #expect(actors == [sso.platform.seeded.api_keys[0].id])
            #expect(try await sso.platform.audited("revokeConsent").count == 1)
            // A new one has only the new scopes.
            _ = try await sso.allow(["scope": "openid"])
            #expect(try await sso.needsConsent(at: 2))
            #expect(try await sso.consents(of: first.user).map { $0["scope"] as? String } == ["openid"])
        }
    }

    @Test("a sign-in with Apple after it asks again")
    func apple() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn()
            _ = try await sso.allow()
            #expect(try await Self.revoke(sso, first.user).status == 204)
            let request = TestBrowser.Request(sso.platform.acme, application: 2)
            let toApple = try await sso.browser.get(request.authorizeURL(changing: ["prompt": "login"]))
            let page = try await sso.browser.callback(try await sso.browser.atApple(toApple, person: "Ada Lovelace"))
            #expect(page.asksForConsent(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
            #expect(try await sso.login(try await sso.decide(.allow, page), request).user == first.user)
            #expect(try await sso.signInSilently(at: 2).user == first.user)
        }
    }

    @Test("an unknown consent, another user's and a revoked one get 404")
    func unknown() async throws {
        try await SingleSignOn.runWithThirdParty { sso in
            let first = try await sso.signIn()
            _ = try await sso.allow()
            let other = try await sso.elsewhere.signIn("Grace Hopper")
            let id = try #require(try await sso.consents(of: first.user).first?["id"] as? String)
            for path in ["users/\(other.user)/consents/\(id)", "users/\(first.user)/consents/consent_\(String(repeating: "0", count: 26))"]
            {
                #expect(try await sso.platform.call("DELETE", "/tenants/acme/\(path)").status == 404, "\(path)")
            }
            #expect(try await Self.revoke(sso, first.user).status == 204)
            #expect(try await sso.platform.call("DELETE", "/tenants/acme/users/\(first.user)/consents/\(id)").status == 404)
        }
    }
}
