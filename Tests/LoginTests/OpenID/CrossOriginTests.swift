import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// Which pages' scripts may call what (Fetch Standard, "CORS protocol").
@Suite("Cross origin")
struct CrossOriginTests {
    private static let origin = "https://spa.test:8443"
    /// What a library in a browser calls, and how.
    private static let opened = [
        ("oauth2/token", "POST"), ("oauth2/userinfo", "GET"), ("oauth2/userinfo", "POST"), ("oauth2/jwks", "GET"),
        (".well-known/openid-configuration", "GET"), (".well-known/oauth-authorization-server", "GET"),
    ]

    /// Makes Acme's second application one of a single page, before anybody has asked for it.
    private static func run(_ body: @Sendable @escaping (TestPlatform, TestBrowser) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            let id = ID<Tenancy.Application>(platform.acme.applications[1].client_id)
            let uris = ["https://spa.test:8443/callback", "https://App.Test:443/x?y", "http://localhost:5173"]
            _ = try await platform.ownerPool.run("UPDATE application SET kind = 'spa', redirect_uris = \(uris) WHERE id = \(id)")
            try await body(platform, TestBrowser(platform))
        }
    }

    private static func preflight(
        _ browser: TestBrowser, _ url: String, from origin: String?, method: String? = "POST"
    ) async throws -> TestBrowser.Answer {
        var headers = [("Access-Control-Request-Headers", "authorization,content-type")]
        if let origin { headers.append(("Origin", origin)) }
        if let method { headers.append(("Access-Control-Request-Method", method)) }
        return try await browser.send("OPTIONS", url, headers: headers, body: nil)
    }

    @Test("discovery where RFC 8414 has it is open to the same, and to nobody else")
    func atRoot() async throws {
        try await Self.run { platform, browser in
            let url = "\(TestPlatform.publicURL)/.well-known/oauth-authorization-server/t/acme"
            for (origin, may) in [(Self.origin, true), ("https://evil.test", false)] {
                let preflight = try await Self.preflight(browser, url, from: origin, method: "GET")
                #expect(preflight.status == (may ? 204 : 405))
                let answer = try await browser.get(url, headers: [("Origin", origin)])
                #expect(answer.status == 200)
                #expect(answer.header("Access-Control-Allow-Origin") == (may ? origin : nil))
                #expect(answer.headers["Vary"] == ["Origin"])
            }
            let other = try await browser.get("\(url)/x", headers: [("Origin", Self.origin)])
            #expect(other.status == 404)
            #expect(Self.shared(other) == [])
        }
    }

    /// The headers of CORS that an answer has, but for none.
    private static func shared(_ answer: TestBrowser.Answer) -> [String] {
        answer.headers.map(\.name).filter { $0.lowercased().hasPrefix("access-control-") }
    }

    @Test("a single page's origin may call discovery, keys, tokens and userinfo, with the headers they need, without cookies")
    func preflights() async throws {
        try await Self.run { platform, browser in
            for (path, method) in Self.opened {
                let answer = try await Self.preflight(browser, "\(platform.acme.issuer)/\(path)", from: Self.origin, method: method)
                #expect(answer.status == 204)
                #expect(answer.body.isEmpty)
                #expect(answer.header("Access-Control-Allow-Origin") == Self.origin)
                #expect(answer.header("Access-Control-Allow-Methods")?.components(separatedBy: ", ").contains(method) == true)
                let headers = answer.header("Access-Control-Allow-Headers")?.lowercased().components(separatedBy: ", ") ?? []
                #expect(Set(headers).isSuperset(of: ["authorization", "content-type"]))
                #expect(answer.header("Access-Control-Allow-Credentials") == nil)
                #expect(answer.headers["Vary"] == ["Origin"])
            }
        }
    }

    @Test("every answer to it can be read there, a refusal too")
    func answers() async throws {
        try await Self.run { platform, browser in
            for (path, method) in Self.opened {
                let answer = try await browser.send(
                    method, "\(platform.acme.issuer)/\(path)", headers: [("Origin", Self.origin)], body: nil)
                #expect(path.contains("token") || path.contains("userinfo") ? answer.status >= 400 : answer.status == 200)
                #expect(answer.header("Access-Control-Allow-Origin") == Self.origin, "\(path)")
                #expect(answer.header("Access-Control-Expose-Headers")?.contains("WWW-Authenticate") == true)
                #expect(answer.header("Access-Control-Allow-Credentials") == nil)
                #expect(answer.headers["Vary"] == ["Origin"])
            }
            let refused = try await browser.post(
                "\(platform.acme.issuer)/oauth2/token",
                form: [
                    ("grant_type", "refresh_token"), ("refresh_token", "x"), ("client_id", platform.acme.applications[1].client_id),
                ], headers: [("Origin", Self.origin)])
            #expect(refused.isOAuthError(400, "invalid_grant"))
            #expect(refused.header("Access-Control-Allow-Origin") == Self.origin)
            // So can a method that is not taken.
            let wrong = try await browser.get("\(platform.acme.issuer)/oauth2/token", headers: [("Origin", Self.origin)])
            #expect(wrong.status == 405)
            #expect(wrong.header("Access-Control-Allow-Origin") == Self.origin)
        }
    }

    @Test("an origin is that of a redirect URI as browsers write it: in lower case, without the port that goes without saying")
    func normalized() async throws {
        try await Self.run { platform, browser in
            for (origin, may) in [
                ("https://app.test", true), ("http://localhost:5173", true), ("https://App.Test", false), ("https://app.test:443", false),
                ("http://app.test", false), ("http://localhost", false), ("http://localhost:5174", false), ("https://spa.test", false),
                ("https://spa.test:8443/", false), ("https://spa.test:8443.evil.test", false), ("https://spa.test:84430", false),
                ("null", false), ("*", false), ("", false),
            ] {
                let answer = try await browser.get("\(platform.acme.issuer)/oauth2/jwks", headers: [("Origin", origin)])
                #expect(answer.status == 200)
                #expect(answer.header("Access-Control-Allow-Origin") == (may ? origin : nil), "\(origin)")
            }
        }
    }

    @Test("others get no such header: no stranger, no other kind of application, no other tenant, no caller without an origin")
    func strangers() async throws {
        try await Self.run { platform, browser in
            for (path, method) in Self.opened {
                for (issuer, origin) in [
                    (platform.acme.issuer, "https://evil.test"), (platform.globex.issuer, Self.origin),
                    // Of applications of kind web.
                    (platform.globex.issuer, "https://app.test"), ("\(TestPlatform.publicURL)/t/nobody", Self.origin),
                ] {
                    let preflight = try await Self.preflight(browser, "\(issuer)/\(path)", from: origin, method: method)
                    #expect(preflight.status == 405)
                    #expect(preflight.header("Allow")?.contains("OPTIONS") == false)
                    let answer = try await browser.send(method, "\(issuer)/\(path)", headers: [("Origin", origin)], body: nil)
                    for answer in [preflight, answer] {
                        #expect(Self.shared(answer) == [], "\(issuer)/\(path) from \(origin)")
                        #expect(answer.headers["Vary"] == ["Origin"])
                    }
                }
                let plain = try await browser.send(method, "\(platform.acme.issuer)/\(path)", headers: [], body: nil)
                #expect(Self.shared(plain) == [])
                #expect(plain.headers["Vary"] == ["Origin"])
            }
        }
    }

    @Test("nothing else is opened: neither where people go, nor the REST API, nor a question that is no preflight")
    func elsewhere() async throws {
        try await Self.run { platform, browser in
            let base = TestPlatform.publicURL
            for url in [
                "\(platform.acme.issuer)/oauth2/authorize", "\(platform.acme.issuer)/auth/apple/callback", "\(base)/auth/apple/callback",
                "\(platform.acme.issuer)/oauth2/introspect", "\(platform.acme.issuer)/oauth2/revoke",
                "\(platform.acme.issuer)/oauth2/logout",
                "\(platform.acme.issuer)/revocations", "\(platform.acme.issuer)/users/me",
                "\(platform.acme.issuer)/auth/apple/notifications", "\(base)/auth/apple/notifications",
                "\(base)/v1/tenants/acme", "\(base)/v1/tenants/acme/users", "\(platform.acme.issuer)/oauth2/token/x",
            ] {
                for method in ["GET", "POST"] {
                    let preflight = try await Self.preflight(browser, url, from: Self.origin, method: method)
                    #expect(preflight.status >= 400)
                    let answer = try await browser.send(method, url, headers: [("Origin", Self.origin)], body: nil)
                    for answer in [preflight, answer] { #expect(Self.shared(answer) == [], "\(url)") }
                }
            }
            let question = try await Self.preflight(browser, "\(platform.acme.issuer)/oauth2/token", from: Self.origin, method: nil)
            #expect(question.status == 405)
            #expect(question.header("Allow") == "POST")
        }
    }

    @Test("a suspended tenant's pages are strangers")
    func suspended() async throws {
        try await Self.run { platform, browser in
            try await platform.suspend(platform.acme)
            let answer = try await browser.get("\(platform.acme.issuer)/oauth2/jwks", headers: [("Origin", Self.origin)])
            #expect(answer.status == 404)
            #expect(Self.shared(answer) == [])
        }
    }
}
