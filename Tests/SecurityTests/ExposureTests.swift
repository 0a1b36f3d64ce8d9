import NIOHTTP1
import Server
import TestSupport
import Testing

/// The data and actions that a response exposes to others (RFC 9700, sections 4.2 and 4.16; RFC 6819, sections 4.4.1.9 and
/// 5.1.6; ASVS 3.4, 14.3).
@Suite("Attack: clickjacking and leaks")
struct ExposureTests {
    /// Every kind of response that a browser receives in a login.
    private static func pages(_ platform: TestPlatform) async throws -> [(String, TestBrowser.Answer)] {
        let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
        let toApple = try await browser.authorize(request)
        let back = try await browser.callback(try await browser.atApple(toApple, person: "new"))
        return [
            ("to Apple", toApple), ("to the application", back),
            ("refused to the application", try await browser.get(request.url(changing: ["prompt": "none"]))),
            ("unknown application", try await browser.get(request.url(changing: ["client_id": nil]))),
            ("redirect URI", try await browser.get(request.url(changing: ["redirect_uri": "https://evil.test"]))),
            ("callback", try await browser.post(platform.acme.return_url, form: [("state", "x")])),
            ("shared callback", try await browser.post(platform.globex.return_url, form: [])),
            ("unknown tenant", try await browser.get("\(TestPlatform.publicURL)/t/nobody/oauth2/authorize")),
        ]
    }

    @Test("RFC 9700, 4.16; ASVS 3.4.6: clickjacking: every page forbids framing, and loads or sends nothing")
    func framing() async throws {
        try await TestPlatform.run { platform in
            for (name, page) in try await Self.pages(platform) where page.location == nil {
                let policy = page.header("Content-Security-Policy") ?? ""
                for rule in ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"] {
                    #expect(policy.contains(rule), "\(name)")
                }
                #expect(!policy.contains("script-src"), "\(name)")
                #expect(page.header("X-Content-Type-Options") == "nosniff", "\(name)")
                #expect(page.header("Content-Type") == "text/html; charset=utf-8", "\(name)")
                #expect(!page.body.contains("<script") && !page.body.contains("http://") && !page.body.contains("src="), "\(name)")
            }
        }
    }

    @Test("RFC 9700, 4.2.4: a login's URLs are neither sent in a Referer nor stored in a cache")
    func referrer() async throws {
        try await TestPlatform.run { platform in
            for (name, page) in try await Self.pages(platform) {
                #expect(page.headers["Referrer-Policy"] == ["no-referrer"], "\(name)")
                #expect(page.headers["Cache-Control"] == ["no-store"], "\(name)")
            }
        }
    }

    @Test("RFC 9700, 4.12: after a post the redirect is 303, which does not post again")
    func status() async throws {
        try await TestPlatform.run { platform in
            for (name, page) in try await Self.pages(platform) where page.location != nil && name != "to Apple" {
                #expect(page.status == 303, "\(name)")
            }
        }
    }

    @Test("RFC 6749, 5.1; RFC 6819, 5.1.6: tokens, errors and personal data are never cached")
    func caching() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.signedIn(request)
            for answer in [
                tokens, try await browser.refresh(tokens.refreshToken, request), try await browser.refresh("x", request),
                try await browser.userInfo(authorization: "Bearer \(tokens.accessToken)", at: platform.acme),
                try await browser.userInfo(authorization: "Bearer x", at: platform.acme),
                try await platform.call("GET", "/tenants/acme/users"), try await platform.call("GET", "/tenants/nobody"),
                try await platform.call("POST", "/tenants/acme/api-keys", ["name": "New", "scopes": ["tenants:read"]]),
            ] { #expect(answer.headers["Cache-Control"] == ["no-store"], "\(answer.status)") }
        }
    }

    @Test(
        "RFC 9700, 2.1; RFC 6749, 10.5: the redirect contains only the code and the state, and Apple learns nothing about the application"
    )
    func redirects() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let toApple = try await browser.authorize(request)
            let seen = toApple.location ?? ""
            for secret in [request.state, request.nonce, request.challenge, request.verifier, request.application.client_id, "app.test"] {
                #expect(!seen.contains(secret))
            }
            #expect(browser.cookies.values.allSatisfy { !seen.contains($0) })
            let back = try await browser.callback(try await browser.atApple(toApple, person: "Ada Lovelace"))
            let query = back.location?.split(separator: "?").last.map(String.init) ?? ""
            #expect(query.split(separator: "&").map { String($0.prefix { $0 != "=" }) } == ["code", "state", "iss"])
            // A shorter name could be in the random code by chance.
            #expect(!query.contains("Lovelace") && !query.contains("example.com"))
        }
    }

    @Test("RFC 6819, 4.3.5: guessing reveals nothing: another caller's tenant, user, key or client looks like a missing one")
    func enumeration() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            let (foreign, unknown) = (
                try await platform.call("GET", "/tenants/globex", key: key), try await platform.call("GET", "/tenants/nobody", key: key)
            )
            #expect(foreign.status == unknown.status)
            #expect(foreign.json["detail"] as? String == unknown.json["detail"] as? String)
            let browser = TestBrowser(platform)
            func ask(_ id: String, _ secret: String) async throws -> String {
                try await browser.post(
                    "\(platform.acme.issuer)/oauth2/token",
                    form: [("grant_type", "authorization_code"), ("code", "x"), ("client_id", id), ("client_secret", secret)]
                ).json["error_description"] as? String ?? ""
            }
            let known = try await ask(platform.acme.applications[0].client_id, "eas_wrong")
            for id in ["app_00000000000000000000000000", platform.globex.applications[0].client_id, "nonsense"] {
                let answer = try await ask(id, "eas_wrong")
                #expect(answer == known)
            }
        }
    }
}
