import Foundation
import Server
import Tenancy
import TestSupport
import Testing

/// How a browser returns to a native application: on Android and older iOS, in a terminal, on a desktop (RFC 8252, section 7).
@Suite("Native redirects")
struct NativeRedirectTests {
    private static let customScheme = "com.example.app:/callback"
    private static let appLink = "https://app.test/.well-known/callback"

    @Test(
        "a login returns to the application's own scheme, to an app link, and to a loopback address on any port",
        arguments: [
            customScheme, appLink, "http://127.0.0.1:49152/callback", "http://127.0.0.1:65535/callback", "http://127.0.0.1/callback",
            "http://[::1]:49153/callback", "http://[::1]/callback",
        ])
    func wholeLogin(redirectURI: String) async throws {
        try await TestPlatform.run { platform in
            var request = TestBrowser.Request(platform.acme, application: 1)
            try await platform.setRedirectURIs(
                [Self.customScheme, Self.appLink, "http://127.0.0.1/callback", "http://[::1]/callback"], of: request.application)
            request.redirectURI = redirectURI
            let browser = TestBrowser(platform)
            let back = try await browser.signIn(request, person: "Ada Lovelace")
            #expect(back.status == 303)
            #expect(back.location?.hasPrefix(redirectURI + "?code=") == true, "\(back.location ?? back.body)")
            #expect(back["state"] == request.state)
            #expect(back["iss"] == request.tenant.issuer)
            // Another program on the device may have caught the code, but it lacks the verifier (RFC 8252, section 8.1).
            var thief = request
            thief.verifier = TestBrowser.randomText()
            #expect(try await browser.redeem(back["code"] ?? "", thief).isOAuthError(400, "invalid_grant"))
            let tokens = try await browser.redeem(back["code"] ?? "", request)
            #expect(tokens.status == 200, "\(tokens.body)")

            // A cancellation returns in the same way.
            let cancelled = try await browser.callback(try await browser.atApple(try await browser.authorize(request), person: "cancel"))
            #expect(cancelled.reports(request, "access_denied"))
        }
    }

    @Test("a code is bound to its redirect URI, including the port of a loopback address")
    func otherPort() async throws {
        try await TestPlatform.run { platform in
            var request = TestBrowser.Request(platform.acme, application: 1)
            request.redirectURI = "http://127.0.0.1:49152/callback"
            let code = try await TestBrowser(platform).code(request)
            request.redirectURI = "http://127.0.0.1:49153/callback"
            #expect(try await TestBrowser(platform).redeem(code, request).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("only the port is free: another path, localhost, another scheme or a longer URI gets a page")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme, application: 1)
            try await platform.setRedirectURIs(
                [Self.customScheme, "http://127.0.0.1/callback", "http://[::1]/callback", "http://localhost/callback"],
                of: request.application)
            let browser = TestBrowser(platform)
            for uri in [
                "com.example.app:/callback/", "com.example.app://callback", "com.example.app:/callbackx", "com.example.App:/callback",
                "com.example.app.evil:/callback", "com.example.app:/callback?x=1", "com.example.app:", "http://127.0.0.1:1/other",
                "http://[::1]:1/other", "http://[::1]:1", "http://[::2]:1/callback", "http://[0:0:0:0:0:0:0:1]:1/callback",
                // DNS may resolve this name to another address (RFC 8252, section 8.3).
                "http://localhost:49152/callback",
            ] {
                #expect(try await browser.get(request.authorizeURL(changing: ["redirect_uri": uri])).isPage(400), "\(uri)")
            }
        }
    }

    @Test("only a native application may register its own scheme, which must contain a dot")
    func registration() async throws {
        try await TestPlatform.run { platform in
            for (kind, uri, status) in [
                ("native", Self.customScheme, 201), ("spa", Self.customScheme, 400), ("native", "myapp:/callback", 400),
            ] {
                let answer = try await platform.call(
                    "POST", "/tenants/acme/applications", ["name": "App", "kind": kind, "redirect_uris": [uri]])
                #expect(answer.status == status, "\(kind) \(uri): \(answer.body)")
            }
        }
    }
}
