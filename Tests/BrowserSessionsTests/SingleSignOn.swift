import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// A browser at a tenant whose applications share one sign-in.
struct SingleSignOn: Sendable {
    let platform: TestPlatform
    let browser: TestBrowser

    static let cookieName = "__Host-espalier-sso-acme"

    /// Turns single sign-on on at Acme, in this process too.
    static func run(
        _ settings: [String: any Sendable] = [:], _ body: @Sendable @escaping (SingleSignOn) async throws -> Void
    ) async throws {
        try await TestPlatform.run { platform in
            let all = settings.merging(["single_sign_on": true]) { $1 }
            let changed = try await platform.call("PATCH", "/tenants/acme", all)
            guard changed.status == 200 else { throw TestSimulator.Refused(description: changed.body) }
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(SingleSignOn(platform: platform, browser: TestBrowser(platform)))
        }
    }

    /// The same platform with another browser.
    var elsewhere: SingleSignOn { SingleSignOn(platform: platform, browser: TestBrowser(platform)) }

    /// The same platform with a browser that has this cookie.
    func with(_ cookie: String, named name: String = cookieName) -> SingleSignOn {
        let other = elsewhere
        other.browser.cookies[name] = cookie
        return other
    }

    var cookie: String? { browser.cookies[Self.cookieName] }

    // MARK: Applications

    /// A sign-in with Apple. An application of a third party is allowed.
    func signIn(_ person: String = "Ada Lovelace", at application: Int = 0, _ changes: [String: String?] = [:]) async throws -> Login {
        let request = TestBrowser.Request(platform.acme, application: application)
        let toApple = try await browser.get(request.authorizeURL(changing: changes))
        var back = try await browser.callback(try await browser.atApple(toApple, person: person))
        if back.asksForConsent(setsCookies: true) { back = try await browser.decide(.allow, on: back) }
        return try await login(back, request)
    }

    /// An authorization request that the browser may answer without Apple.
    func ask(
        _ changes: [String: String?] = [:], at application: Int = 1, headers: [(String, String)] = []
    ) async throws -> (answer: TestBrowser.Answer, request: TestBrowser.Request) {
        let request = TestBrowser.Request(platform.acme, application: application)
        return (try await browser.get(request.authorizeURL(changing: changes), headers: headers), request)
    }

    func signInSilently(_ changes: [String: String?] = ["prompt": "none"], at application: Int = 1) async throws -> Login {
        let (answer, request) = try await ask(changes, at: application)
        return try await login(answer, request)
    }

    func login(_ back: TestBrowser.Answer, _ request: TestBrowser.Request) async throws -> Login {
        let code = try #require(back["code"], "\(back.status) \(back.location ?? back.body)")
        #expect(back["state"] == request.state && back["iss"] == request.tenant.issuer)
        let tokens = try await browser.redeem(code, request)
        return Login(
            browser: browser, request: request, tokens: tokens, idToken: tokens.string("id_token") ?? "",
            claims: try claims(of: tokens.string("id_token")))
    }

    struct Login: Sendable {
        let browser: TestBrowser
        let request: TestBrowser.Request
        let tokens: TestBrowser.Answer
        let idToken: String
        let claims: [String: any Sendable]

        var user: String { claims["sub"] as? String ?? "" }
        var authTime: Int { claims["auth_time"] as? Int ?? 0 }

        /// Whether its access token is valid.
        func lasts() async throws -> Bool {
            try await browser.userInfo(tokens.string("access_token"), of: request.tenant).status == 200
        }
    }

    // MARK: Answers

    /// Whether `prompt=none` is refused, and a request without it goes to Apple.
    func needsApple(_ changes: [String: String?] = [:], at application: Int = 1, because error: String = "login_required") async throws
        -> Bool
    {
        let (silent, request) = try await ask(changes.merging(["prompt": "none"]) { $1 }, at: application)
        let (open, _) = try await ask(changes, at: application)
        return silent.reports(request, error) && goesToApple(open)
    }

    /// Whether `prompt=none` needs consent, and a request without it gets the page that asks.
    func needsConsent(_ changes: [String: String?] = [:], at application: Int = 1) async throws -> Bool {
        let (silent, request) = try await ask(changes.merging(["prompt": "none"]) { $1 }, at: application)
        let (open, _) = try await ask(changes, at: application)
        return silent.reports(request, "consent_required") && asksForConsent(open)
    }

    func asksForConsent(_ answer: TestBrowser.Answer) -> Bool {
        answer.asksForConsent()
    }

    func goesToApple(_ answer: TestBrowser.Answer) -> Bool {
        answer.status == 302 && answer.location?.hasPrefix(platform.simulator.url) == true
    }

    // MARK: Rows

    /// The columns of all browser sessions, oldest first, with the reason of their end.
    func rows() async throws -> [(id: UUID, generation: Int, reason: String?)] {
        try await platform.ownerPool.run("SELECT id, generation, ended_reason FROM browser_session ORDER BY created_at")
            .map { (try $0.get("id"), try $0.get("generation"), try $0.get("ended_reason")) }
    }

    /// Changes the columns of all browser sessions, to let time pass.
    func change(_ assignments: String) async throws {
        _ = try await platform.ownerPool.run(SQL(unsafe: "UPDATE browser_session SET \(assignments)"))
    }
}
