import Access
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// The endpoints that scripts of a page may call (Fetch Standard, "CORS protocol").
@Suite("Cross origin")
struct CrossOriginTests {
    private static let origin = "https://spa.test:8443"
    /// The endpoints for the pages of a tenant's applications, and their methods.
    private static let opened = [
        ("oauth2/token", "POST"), ("oauth2/userinfo", "GET"), ("oauth2/userinfo", "POST"), ("oauth2/revoke", "POST"),
    ]
    /// The documents for every page.
    private static let documents = ["oauth2/jwks", ".well-known/openid-configuration", ".well-known/oauth-authorization-server"]

    /// Changes Acme's second application to kind `spa` before any process has read it.
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

    @Test("every page can read keys and discovery, without cookies, and the responses are the same for all pages")
    func publicDocuments() async throws {
        try await Self.run { platform, browser in
            let root = TestPlatform.publicURL
            let atRoot = ["openid-configuration", "oauth-authorization-server"].map { "\(root)/.well-known/\($0)/t/acme" }
            for url in Self.documents.map({ "\(platform.acme.issuer)/\($0)" }) + atRoot {
                let alone = try await browser.get(url)
                for origin in [Self.origin, "https://evil.test", "null", nil] {
                    let answer = try await browser.get(url, headers: origin.map { [("Origin", $0)] } ?? [])
                    #expect(answer.status == 200)
                    #expect(answer.json.keys.sorted() == alone.json.keys.sorted())
                    #expect(answer.headers["Access-Control-Allow-Origin"] == ["*"], "\(url)")
                    #expect(answer.header("Access-Control-Allow-Credentials") == nil)
                    #expect(answer.headers["Vary"].isEmpty)
                    #expect(answer.header("Cache-Control") == "public, max-age=300")
                }
                let preflight = try await Self.preflight(browser, url, from: "https://evil.test", method: "GET")
                #expect(preflight.status == 204 && preflight.header("Access-Control-Allow-Methods") == "GET")
                #expect(preflight.headers["Access-Control-Allow-Origin"] == ["*"])
                #expect(try await browser.send("POST", url, headers: [("Origin", Self.origin)], body: nil).status == 405)
                #expect(Self.shared(try await browser.get("\(url)/x", headers: [("Origin", Self.origin)])) == [])
            }
            // A page can read the refusal, too.
            for url in ["\(root)/t/nobody/oauth2/jwks", "\(root)/.well-known/openid-configuration/t/nobody"] {
                let answer = try await browser.get(url, headers: [("Origin", Self.origin)])
                #expect(answer.status == 404 && answer.header("Access-Control-Allow-Origin") == "*")
            }
        }
    }

    @Test("CORS allows exactly the endpoints that discovery offers to applications without a secret")
    func agreement() async throws {
        try await Self.run { platform, browser in
            let metadata = try await browser.get("\(platform.acme.issuer)/.well-known/openid-configuration").json
            let endpoints = metadata.filter { $0.key.hasSuffix("_endpoint") || $0.key == "jwks_uri" }
            #expect(endpoints.count == 10)
            for (member, value) in endpoints {
                let isForPages =
                    switch member {
                    // The browser itself navigates there.
                    case "authorization_endpoint", "end_session_endpoint": false
                    // The caller needs an access token, or nothing.
                    case "userinfo_endpoint", "jwks_uri": true
                    // It authenticates as at the token endpoint (RFC 9126, section 2).
                    case "pushed_authorization_request_endpoint": true
                    default: (metadata["\(member)_auth_methods_supported"] as? [String])?.contains("none") == true
                    }
                let url = value as? String ?? ""
                let method = member == "jwks_uri" ? "GET" : "POST"
                let preflight = try await Self.preflight(browser, url, from: Self.origin, method: method)
                #expect((preflight.status == 204) == isForPages, "\(member)")
                let answer = try await browser.send(method, url, headers: [("Origin", Self.origin)], body: nil)
                #expect((answer.header("Access-Control-Allow-Origin") != nil) == isForPages, "\(member)")
            }
        }
    }

    @Test("a page can revoke its token and read the result")
    func revocation() async throws {
        try await Self.run { platform, browser in
            let id = platform.acme.applications[1].client_id
            let url = "\(platform.acme.issuer)/oauth2/revoke"
            for (form, status) in [([("token", "ert_x"), ("client_id", id)], 200), ([("client_id", id)], 400), ([("token", "x")], 401)] {
                let answer = try await browser.post(url, form: form, headers: [("Origin", Self.origin)])
                #expect(answer.status == status)
                #expect(answer.header("Access-Control-Allow-Origin") == Self.origin)
            }
        }
    }

    /// The CORS headers of a response, except for those of every response.
    private static func shared(_ answer: TestBrowser.Answer) -> [String] {
        answer.headers.map(\.name).filter { $0.lowercased().hasPrefix("access-control-") }
    }

    @Test("a single-page application may call token, userinfo and revocation, with the required headers and without cookies")
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

    @Test("the page can read every response, including a refusal")
    func answers() async throws {
        try await Self.run { platform, browser in
            for (path, method) in Self.opened {
                let answer = try await browser.send(
                    method, "\(platform.acme.issuer)/\(path)", headers: [("Origin", Self.origin)], body: nil)
                #expect(answer.status >= 400)
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
            // It can also read the response to a wrong method.
            let wrong = try await browser.get("\(platform.acme.issuer)/oauth2/token", headers: [("Origin", Self.origin)])
            #expect(wrong.status == 405)
            #expect(wrong.header("Access-Control-Allow-Origin") == Self.origin)
        }
    }

    @Test("an origin is that of a redirect URI in a browser's spelling: in lower case, without a default port")
    func normalized() async throws {
        try await Self.run { platform, browser in
            for (origin, may) in [
                ("https://app.test", true), ("http://localhost:5173", true), ("https://App.Test", false), ("https://app.test:443", false),
                ("http://app.test", false), ("http://localhost", false), ("http://localhost:5174", false), ("https://spa.test", false),
                ("https://spa.test:8443/", false), ("https://spa.test:8443.evil.test", false), ("https://spa.test:84430", false),
                ("null", false), ("*", false), ("", false),
            ] {
                let answer = try await browser.get("\(platform.acme.issuer)/oauth2/userinfo", headers: [("Origin", origin)])
                #expect(answer.status == 401)
                #expect(answer.header("Access-Control-Allow-Origin") == (may ? origin : nil), "\(origin)")
            }
        }
    }

    @Test("unknown pages, other kinds of application, other tenants and callers without an origin get no such header")
    func strangers() async throws {
        try await Self.run { platform, browser in
            for (path, method) in Self.opened {
                for (issuer, origin) in [
                    (platform.acme.issuer, "https://evil.test"), (platform.globex.issuer, Self.origin),
                    // The applications of kind web.
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

    @Test("no other endpoint is opened: neither the pages for people, nor the REST API, nor an OPTIONS that is not a preflight")
    func elsewhere() async throws {
        try await Self.run { platform, browser in
            let base = TestPlatform.publicURL
            for url in [
                "\(platform.acme.issuer)/oauth2/authorize", "\(platform.acme.issuer)/auth/apple/callback", "\(base)/auth/apple/callback",
                "\(platform.acme.issuer)/oauth2/introspect", "\(platform.acme.issuer)/oauth2/revoke/x",
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

    @Test("the pages of a suspended tenant are refused")
    func suspended() async throws {
        try await Self.run { platform, browser in
            try await platform.suspend(platform.acme)
            let answer = try await browser.get("\(platform.acme.issuer)/oauth2/userinfo", headers: [("Origin", Self.origin)])
            #expect(answer.status == 404)
            #expect(Self.shared(answer) == [])
        }
    }
}
