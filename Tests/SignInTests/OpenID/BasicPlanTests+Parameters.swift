import Encoding
import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

// Other parameters of an authorization request.
extension BasicPlanTests {
    @Test("oidcc-display-page: display=page succeeds")
    func displayPage() async throws {
        try await TestPlatform.run { platform in _ = try await RelyingParty(platform).login(["display": "page"]) }
    }

    @Test("oidcc-display-popup: display=popup succeeds")
    func displayPopup() async throws {
        try await TestPlatform.run { platform in _ = try await RelyingParty(platform).login(["display": "popup"]) }
    }

    @Test("oidcc-ui-locales: ui_locales succeeds")
    func uiLocales() async throws {
        try await TestPlatform.run { platform in _ = try await RelyingParty(platform).login(["ui_locales": "se"]) }
    }

    @Test("oidcc-claims-locales: claims_locales succeeds")
    func claimsLocales() async throws {
        try await TestPlatform.run { platform in _ = try await RelyingParty(platform).login(["claims_locales": "se"]) }
    }

    @Test("oidcc-login-hint: login_hint succeeds")
    func loginHint() async throws {
        try await TestPlatform.run { platform in _ = try await RelyingParty(platform).login(["login_hint": "buffy@acme.test"]) }
    }

    @Test("oidcc-ensure-request-with-acr-values-succeeds: acr_values succeeds")
    func acrValues() async throws {
        try await TestPlatform.run { platform in _ = try await RelyingParty(platform).login(["acr_values": "1 2"]) }
    }

    @Test("oidcc-ensure-request-with-unknown-parameter-succeeds: an unknown parameter succeeds")
    func unknownParameter() async throws {
        try await TestPlatform.run { platform in _ = try await RelyingParty(platform).login(["extra": "foobar"]) }
    }

    @Test("oidcc-prompt-login: with prompt=login the user signs in at Apple again, and auth_time is the new time")
    func promptLogin() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let earlier = try await party.setAppleAuthentication(secondsAgo: 7)
            let first = try await party.login(person: "Ada Lovelace")
            #expect(first.authTime == earlier)
            #expect(try await party.authorize(["prompt": "login"]).location?.hasPrefix(platform.simulator.url) == true)
            let second = try await party.login(["prompt": "login"], person: "Ada Lovelace")
            #expect(second.authTime > first.authTime)
            #expect(second.subject == first.subject)
        }
    }

    @Test("oidcc-prompt-none-not-logged-in: prompt=none is login_required, and a long state returns unchanged")
    func promptNoneNotLoggedIn() async throws {
        try await TestPlatform.run { platform in
            var party = try await RelyingParty(platform)
            party.request.state = String((party.request.state + party.request.state + party.request.state).prefix(128))
            #expect(try await party.authorize(["prompt": "none"]).reports(party.request, "login_required"))
        }
    }

    @Test("oidcc-prompt-none-logged-in: after a sign-in the browser has no session at Espalier, so it is login_required")
    func promptNoneLoggedIn() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            _ = try await party.login()
            #expect(party.browser.cookies.isEmpty)
            #expect(try await party.authorize(["prompt": "none"]).reports(party.request, "login_required"))
        }
    }

    @Test("oidcc-id-token-hint: id_token_hint succeeds, and does not make prompt=none succeed")
    func idTokenHint() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let first = try await party.login(person: "Ada Lovelace")
            let hint = try #require(first.answer.string("id_token"))
            let second = try await party.login(["id_token_hint": hint], person: "Ada Lovelace")
            #expect(second.subject == first.subject)
            #expect(try await party.authorize(["prompt": "none", "id_token_hint": hint]).reports(party.request, "login_required"))
        }
    }

    @Test("oidcc-max-age-1: with max_age=1 the user signs in again; if Apple reports an earlier time, it is login_required")
    func maxAge1() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            _ = try await party.setAppleAuthentication(secondsAgo: 7)
            let first = try await party.login(person: "Ada Lovelace")
            let second = try await party.login(["max_age": "1"], person: "Ada Lovelace")
            #expect(second.authTime > first.authTime)

            _ = try await party.setAppleAuthentication(secondsAgo: 60)
            #expect(try await party.signIn(["max_age": "1"], person: "Ada Lovelace").reports(party.request, "login_required"))
        }
    }

    @Test("oidcc-max-age-10000: with max_age=10000 the user signs in again, and auth_time is the time at Apple")
    func maxAge10000() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let time = try await party.setAppleAuthentication(secondsAgo: 9_000)
            let login = try await party.login(["max_age": "10000"])
            #expect(login.authTime == time)

            _ = try await party.setAppleAuthentication(secondsAgo: 11_000)
            #expect(try await party.signIn(["max_age": "10000"]).reports(party.request, "login_required"))
        }
    }

    @Test("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: request_uri is request_uri_not_supported")
    func requestURI() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(party.metadata["request_uri_parameter_supported"] as? Bool == false)
            let answer = try await party.authorize(["request_uri": "https://app.test/request.jwt"])
            #expect(answer.reports(party.request, "request_uri_not_supported"))
        }
    }

    @Test("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: request is request_not_supported")
    func requestObject() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            #expect(party.metadata["request_parameter_supported"] as? Bool == false)
            #expect(try await party.authorize(["request": unsigned(["state": "other"])]).reports(party.request, "request_not_supported"))
        }
    }

    @Test("oidcc-ensure-request-object-with-redirect-uri: a redirect URI within a request object is not used")
    func requestObjectWithRedirectURI() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let object = unsigned(["redirect_uri": "https://evil.test/callback", "client_id": party.request.application.client_id])
            #expect(try await party.authorize(["request": object]).reports(party.request, "request_not_supported"))
            #expect(try await party.authorize(["request": object, "redirect_uri": nil]).isPage(400))
        }
    }

    /// A request object without a signature (OpenID Connect Core, section 6.1).
    private func unsigned(_ claims: [String: String]) -> String {
        let bytes = (try? JSONEncoder().encode(claims)).map(Array.init) ?? []
        return "\(Array(#"{"alg":"none"}"#.utf8).base64URL).\(bytes.base64URL)."
    }
}
