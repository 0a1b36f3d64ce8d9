import Foundation
import Postgres
import TestSupport
import Testing

@testable import Server
@testable import SignIn

@Suite("Own hosts: the shared connection")
struct SharedConnectionTests {
    private static let host = "login.globex.test"
    private static let url = "https://\(host)"
    private static let callback = "\(url)/auth/apple/callback"

    /// Globex is on the shared connection and has a host.
    private static func run(_ body: @Sendable @escaping (OwnHost, SeedResult.TenantResult) async throws -> Void) async throws {
        try await OwnHost.unclaimed { own in
            _ = try await own.activate(host, of: "globex")
            try await body(own, own.platform.globex.at(url))
        }
    }

    @Test("Apple's answer goes from the platform's Return URL to the host that started the sign-in, sealed")
    func passes() async throws {
        try await Self.run { own, tenant in
            let (browser, request) = (own.browser(at: [Self.host]), TestBrowser.Request(tenant))
            let toApple = try await browser.authorize(request)
            #expect(toApple["redirect_uri"] == "\(TestPlatform.publicURL)/auth/apple/callback")
            let form = try await browser.atApple(toApple, person: "new")
            let answer = try await browser.callback(form)
            let passed = try OwnHost.passedOn(answer)
            #expect(passed.action == Self.callback && passed.fields.map(\.0) == ["state", "apple_answer"])
            for secret in [try #require(form["code"]), try #require(form["id_token"])] { #expect(!answer.body.contains(secret)) }
            // The browser checks the redirects that follow the form.
            let policy = try #require(answer.header("Content-Security-Policy"))
            #expect(policy.contains("form-action 'self' https:") && policy.contains("frame-ancestors 'none'"))
            let back = try await browser.callback(passed)
            #expect(back["iss"] == tenant.issuer, "\(back.status) \(back.location ?? back.body)")
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            #expect(try claims(of: tokens.string("id_token"))["iss"] as? String == tenant.issuer)
            // The name came through.
            #expect(try claims(of: tokens.string("id_token"))["given_name"] != nil)

            let canceled = try await browser.atApple(try await browser.authorize(request), person: "cancel")
            let refused = try await browser.callback(try OwnHost.passedOn(try await browser.callback(canceled)))
            #expect(refused.reports(request, "access_denied"))
        }
    }

    @Test("the page for the name is at the host, after the answer and after a reload; only a page of this origin sends its form")
    func name() async throws {
        try await Self.run { own, tenant in
            _ = try await own.platform.ownerPool.run("UPDATE application SET requires_name = true")
            try await own.settle()
            let (browser, request) = (own.browser(at: [Self.host]), TestBrowser.Request(tenant))
            var form = try await browser.atApple(try await browser.authorize(request), person: "new")
            form["user"] = nil
            let passed = try OwnHost.passedOn(try await browser.callback(form))
            let (first, again) = (try await browser.callback(passed), try await browser.callback(passed))
            for page in [first, again] {
                #expect(page.status == 200 && page.body.contains("action=\"/oauth2/name\""), "\(page.status) \(page.body)")
            }
            var question = try #require(TestBrowser.AppleForm(html: again.body))
            question["given_name"] = "Ada"
            let (url, fields) = ("\(Self.url)/oauth2/name", question.fields)
            let foreign = try await browser.post(url, form: fields, headers: [("Origin", TestPlatform.publicURL)])
            #expect(foreign.isPage(400), "\(foreign.status)")
            let back = try await browser.post(url, form: fields, headers: [("Origin", Self.url), ("Sec-Fetch-Site", "same-origin")])
            #expect(back["iss"] == tenant.issuer, "\(back.status) \(back.location ?? back.body)")
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            #expect(try claims(of: tokens.string("id_token"))["given_name"] as? String == "Ada", "\(tokens.body)")
        }
    }

    @Test("the host takes only a sealed answer, to the same attempt, with the attempt's cookie")
    func bound() async throws {
        try await Self.run { own, tenant in
            let (browser, stranger) = (own.browser(at: [Self.host]), own.browser(at: [Self.host]))
            let request = TestBrowser.Request(tenant)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            let passed = try OwnHost.passedOn(try await browser.callback(form))
            let other = try await browser.atApple(try await browser.authorize(request), person: "new")
            #expect(try await browser.post(Self.callback, form: form.fields).isPage(400))
            #expect(try await stranger.callback(passed).isPage(400))
            var mixed = passed
            mixed["state"] = other["state"]
            #expect(try await browser.callback(mixed).isPage(400))
            let answer = try #require(passed["apple_answer"])
            for forged in [
                "", "x", ".", answer + ".", answer + "." + answer, String(answer.dropLast()), answer + "\u{301}", "\u{600}" + answer,
                form["state"] ?? "", String(repeating: "x.", count: 10_000),
            ] {
                mixed = passed
                mixed["apple_answer"] = forged
                #expect(try await browser.callback(mixed).isPage(400), "\(forged.prefix(20))")
            }
            // After 2 minutes, the same answer counts no longer.
            let keyring = own.platform.settings.keyring
            let login = try #require(LoginAttempt.origin(of: passed["state"] ?? "", with: keyring)).login
            mixed = passed
            let opened = try AppleForm(opening: answer, for: login, with: keyring)
            mixed["apple_answer"] = opened.sealed(for: login, with: keyring, at: Date() - 121)
            #expect(try await browser.callback(mixed).isPage(400))
            // A state that the server did not seal leads nowhere.
            let made = try await stranger.post(form.action, form: [("state", "https://evil.test"), ("code", "x")])
            #expect(made.isPage(400) && TestBrowser.AppleForm(html: made.body) == nil)
            #expect(try await browser.callback(passed)["code"] != nil)
        }
    }

    @Test("a tenant's host gets nothing with which it can sign in at another tenant as a visitor")
    func stolen() async throws {
        try await Self.run { own, tenant in
            #expect(try await own.platform.call("POST", "/tenants/acme/shared-connection/activate").status == 200)
            try await own.settle()
            let shared = "\(TestPlatform.publicURL)/auth/apple/callback"
            // The attacker owns Globex and starts a sign-in there, and another one at Acme, in its own browser.
            let (attacker, victim) = (own.browser(at: [Self.host]), own.browser(at: [Self.host]))
            let (atGlobex, atAcme) = (TestBrowser.Request(tenant), TestBrowser.Request(own.platform.acme))
            let (globex, acme) = (try await attacker.authorize(atGlobex), try await attacker.authorize(atAcme))
            #expect(acme["redirect_uri"] == shared)
            // The victim signs in at Apple with the state of one and the nonce of the other.
            let location = try #require(globex.location)
            var components = try #require(URLComponents(string: location))
            let nonce = try #require(acme["nonce"])
            components.queryItems = components.queryItems?.map { $0.name == "nonce" ? URLQueryItem(name: "nonce", value: nonce) : $0 }
            let changed = try #require(components.string)
            let page = try await victim.get(changed, headers: [("Simulator-Person", "new")])
            let form = try #require(TestBrowser.AppleForm(html: page.body), "\(page.status) \(page.body)")
            let answer = try await victim.callback(form)
            let passed = try OwnHost.passedOn(answer)
            let (code, token) = (try #require(form["code"]), try #require(form["id_token"]))
            #expect(passed.action == Self.callback && !answer.body.contains(code) && !answer.body.contains(token))

            // At Acme, the sealed answer is none.
            let (sealed, cookies) = (try #require(passed["apple_answer"]), attacker.cookies)
            for fields in [[("apple_answer", sealed)], [("code", sealed)], [("code", sealed), ("id_token", sealed)]] {
                attacker.cookies = cookies
                let result = try await attacker.post(shared, form: [("state", acme["state"] ?? "")] + fields)
                #expect(result["code"] == nil && result["error"] != nil, "\(result.status) \(result.location ?? result.body)")
            }
            // At Globex, its nonce is another attempt's.
            let result = try await attacker.callback(passed)
            #expect(result.reports(atGlobex, "server_error"), "\(result.location ?? result.body)")
            #expect(try await own.platform.count("session") == 0)
        }
    }
}
