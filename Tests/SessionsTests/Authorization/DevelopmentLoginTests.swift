import Foundation
import NIOHTTP1
import Server
import Tenancy
import TestSupport
import Testing

/// Logins of an application that allows URIs for development.
@Suite("Development login")
struct DevelopmentLoginTests {
    private static let registered = ["https://*.preview.example:8443/cb", "http://localhost/cb"]

    /// Makes Acme's second application a single-page application for development, over the REST API.
    private static func run(_ body: @Sendable @escaping (TestPlatform, TestBrowser, TestBrowser.Request) async throws -> Void) async throws
    {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme, application: 1)
            try await platform.change(
                request.application, "kind = 'spa', redirect_uris = '{\"https://app.test/callback\"}', logout_uris = '{}'")
            let changed = try await platform.call(
                "PATCH", "/tenants/acme/applications/\(request.application.client_id)",
                ["allows_development_uris": true, "redirect_uris": registered, "logout_uris": registered])
            #expect(changed.status == 200, "\(changed.body)")
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(platform, TestBrowser(platform), request)
        }
    }

    @Test(
        "a login returns to the requested preview or port, its page can redeem the code, and the logout returns there",
        arguments: ["https://feature-12.preview.example:8443", "http://localhost:5173", "http://localhost"])
    func login(_ origin: String) async throws {
        try await Self.run { platform, browser, request in
            var request = request
            request.redirectURI = "\(origin)/cb"
            let answer = try await browser.signIn(request)
            #expect(answer.location?.hasPrefix("\(origin)/cb?code=") == true, "\(answer.status) \(answer.location ?? answer.body)")
            let form = [
                ("grant_type", "authorization_code"), ("code", answer["code"] ?? ""), ("client_id", request.application.client_id),
                ("code_verifier", request.verifier),
            ]
            // The code is bound to this preview, not to the registered wildcard.
            let url = "\(platform.acme.issuer)/oauth2/token"
            for other in [Self.registered[0], "https://other.preview.example:8443/cb", "http://localhost:1/cb"] {
                let refused = try await browser.post(url, form: form + [("redirect_uri", other)], headers: [("Origin", origin)])
                #expect(refused.isOAuthError(400, "invalid_grant"), "\(refused.body)")
            }
            let redeemed = try await browser.post(url, form: form + [("redirect_uri", "\(origin)/cb")], headers: [("Origin", origin)])
            #expect(redeemed.status == 200, "\(redeemed.body)")
            #expect(redeemed.header("Access-Control-Allow-Origin") == origin)
            let logout = try await browser.get(
                TestBrowser.Request.url(
                    "\(platform.acme.issuer)/oauth2/logout",
                    [("id_token_hint", redeemed.string("id_token") ?? ""), ("post_logout_redirect_uri", "\(origin)/cb")]))
            #expect(logout.status == 303 && logout.location == "\(origin)/cb")
        }
    }

    @Test("form_post goes to the origin of the requested preview only")
    func formPost() async throws {
        try await Self.run { platform, browser, request in
            var request = request
            request.redirectURI = "https://a.preview.example:8443/cb"
            let refused = try await browser.get(request.authorizeURL(changing: ["response_mode": "form_post", "prompt": "none"]))
            #expect(refused.status == 200)
            #expect(refused.header("Content-Security-Policy")?.contains("form-action https://a.preview.example:8443") == true)
            #expect(refused.body.contains("action=\"https://a.preview.example:8443/cb\""))
        }
    }

    @Test(
        "an address that no wildcard matches gets a page that names the next step, at authorize and at logout",
        arguments: [
            ("https://*.preview.example:8443/cb", "place of the wildcard"), ("https://a.b.preview.example:8443/cb", "exact address"),
            ("https://evil.example/.preview.example:8443/cb", "exact address"), ("https://a%2eb.preview.example:8443/cb", "exact address"),
            ("https://a\u{0301}.preview.example:8443/cb", "exact address"), ("http://localhost:5173/other", "exact address"),
        ])
    func refused(_ uri: String, _ step: String) async throws {
        try await Self.run { platform, browser, request in
            var request = request
            request.redirectURI = uri
            let page = try await browser.authorize(request)
            #expect(page.isPage(400))
            #expect(page.body.contains(step) && !page.body.contains("allows_development_uris"), "\(page.body)")
            let logout = try await browser.get(
                TestBrowser.Request.url(
                    "\(platform.acme.issuer)/oauth2/logout",
                    [("client_id", request.application.client_id), ("post_logout_redirect_uri", uri)]))
            #expect(logout.isPage(400))
            #expect(logout.body.contains(step))
        }
    }

    @Test("a login that started before the end of the setting does not return to a development URI")
    func turnedOff() async throws {
        try await Self.run { platform, browser, request in
            var request = request
            request.redirectURI = "https://a.preview.example:8443/cb"
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            try await platform.change(request.application, "allows_development_uris = false")
            #expect(try await browser.callback(form).isPage(400))
            // Without the setting, the page of an unregistered port names it.
            request.redirectURI = "http://localhost:5173/cb"
            let page = try await browser.authorize(request)
            #expect(page.isPage(400))
            #expect(page.body.contains("set its allows_development_uris to true"), "\(page.body)")
        }
    }

    @Test("scripts of a preview and of any localhost port may call the token endpoint, and no page may call it as the wildcard itself")
    func origins() async throws {
        try await Self.run { platform, browser, request in
            func isAllowed(_ origin: String) async throws -> Bool {
                let answer = try await browser.get("\(platform.acme.issuer)/oauth2/userinfo", headers: [("Origin", origin)])
                #expect(answer.headers["Vary"] == ["Origin"])
                return answer.header("Access-Control-Allow-Origin") == origin
            }
            for origin in [
                "https://a.preview.example:8443", "https://xn--bcher-kva.preview.example:8443", "http://localhost:1", "http://localhost",
            ] {
                #expect(try await isAllowed(origin), "\(origin)")
            }
            for origin in [
                "https://*.preview.example:8443", "https://preview.example:8443", "https://a.preview.example",
                "https://a.b.preview.example:8443",
                "https://A.preview.example:8443", "https://a.preview.example:8443/", "https://a.preview.example:8443.evil.example",
                "http://a.preview.example:8443", "https://a.preview.example:8443/cb", "https://localhost:1", "http://localhost:1/cb",
                "http://localhost:65536", "http://localhost:1.evil.example", "http://127.0.0.1:1", "null", "*", "",
            ] {
                #expect(try await !isAllowed(origin), "\(origin)")
            }
            try await platform.change(request.application, "allows_development_uris = false")
            for origin in ["https://a.preview.example:8443", "https://*.preview.example:8443", "http://localhost:1"] {
                #expect(try await !isAllowed(origin), "\(origin)")
            }
            #expect(try await isAllowed("http://localhost"))
        }
    }

    @Test("other kinds of application open no origin")
    func otherKinds() async throws {
        try await Self.run { platform, browser, request in
            try await platform.change(request.application, "kind = 'native'")
            for origin in ["https://a.preview.example:8443", "http://localhost:1"] {
                let answer = try await browser.get("\(platform.acme.issuer)/oauth2/userinfo", headers: [("Origin", origin)])
                #expect(answer.header("Access-Control-Allow-Origin") == nil)
            }
        }
    }
}
