import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Authorize")
struct AuthorizeTests {
    @Test("a valid request goes to Apple with Apple's parameters and none of the application's")
    func goodRequest() async throws {
        try await TestPlatform.run { platform in
            for (tenant, side) in [(platform.acme, platform.own), (platform.globex, platform.shared)] {
                let request = TestBrowser.Request(tenant)
                let answer = try await TestBrowser(platform).authorize(request)
                #expect(answer.status == 302)
                #expect(answer.location?.hasPrefix("\(platform.simulator.url)/auth/authorize?") == true)
                #expect(answer["client_id"] == side.servicesID)
                #expect(answer["redirect_uri"] == tenant.return_url)
                #expect(answer["response_mode"] == "form_post")
                #expect(answer["response_type"]?.split(separator: " ").contains("code") == true)
                #expect(answer["scope"] == "name email")
                #expect(try #require(answer["nonce"]).utf8.count == 22)
                #expect(answer.headers.first(name: "Cache-Control") == "no-store")
                #expect(answer.headers.first(name: "Referrer-Policy") == "no-referrer")
                for secret in [request.state, request.nonce, request.challenge, request.application.client_id] {
                    #expect(answer.location?.contains(secret) == false)
                }
            }
        }
    }

    @Test("an unauthenticated caller who starts logins writes nothing")
    func writesNothing() async throws {
        try await TestPlatform.run { platform in
            func rows() async throws -> [Int] {
                var counts: [Int] = []
                for table in ["tenant_user", "identity", "session", "usage_arrival", "usage_event", "audit_event", "signing_key"] {
                    counts.append(try await platform.count(table))
                }
                return counts
            }
            for _ in 0..<10 {
                let answer = try await TestBrowser(platform).authorize(.init(platform.acme))
                #expect(answer.status == 302)
            }
            #expect(try await rows().allSatisfy { $0 == 0 })
        }
    }

    @Test("two requests have different states, nonces and cookies")
    func fresh() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            let request = TestBrowser.Request(platform.acme)
            let (one, other) = (try await browser.authorize(request), try await browser.authorize(request))
            #expect(one["state"] != other["state"])
            #expect(one["nonce"] != other["nonce"])
            #expect(browser.cookies.count == 2)
            #expect(Set(browser.cookies.values).count == 2)
        }
    }

    @Test("an unknown tenant gets a page")
    func unknownTenant() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            for slug in ["initech", "ACME", "acme%20", "%61cme0", "-", String(repeating: "a", count: 64), platform.acme.id] {
                let answer = try await TestBrowser(platform).get(
                    request.authorizeURL(changing: [:], at: "\(TestPlatform.publicURL)/t/\(slug)/oauth2/authorize"))
                #expect(answer.isPage(404), "\(slug)")
            }
        }
    }

    @Test("an unknown application gets a page and never a redirect")
    func unknownApplication() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let id = request.application.client_id
            for client in [
                nil, "", "app_", "x", id.uppercased(), id + "0", " " + id, String(id.dropLast()), platform.acme.id,
                platform.globex.applications[0].client_id, "app_00000000000000000000000000",
            ] {
                for path in ["\(platform.acme.issuer)/oauth2/authorize", "\(TestPlatform.publicURL)/auth/apple/authorize"] {
                    // By client ID alone, another tenant's application is valid.
                    if client == platform.globex.applications[0].client_id, path.hasSuffix("apple/authorize") { continue }
                    let answer = try await TestBrowser(platform).get(request.authorizeURL(changing: ["client_id": client], at: path))
                    #expect(answer.isPage(400), "\(client ?? "none") at \(path)")
                }
            }
        }
    }

    @Test("a redirect URI that is not registered byte by byte gets a page and never a redirect")
    func unregisteredRedirectURI() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            try await platform.setRedirectURIs(["https://app.test/callbacK"], of: request.application)
            #expect(
                try await TestBrowser(platform).get(request.authorizeURL(changing: ["redirect_uri": "https://app.test/callbacK"])).status
                    == 302)
            for uri in [
                nil, "", "https://app.test/callbac", "https://app.test/callbacK/", "https://app.test/callback", "https://app.test/CallbacK",
                "HTTPS://app.test/callbacK", "https://APP.test/callbacK", "https://app.test:443/callbacK", "https://app.test:8443/callbacK",
                "http://app.test/callbacK", "https://app.test/callbacK?", "https://app.test/callbacK?x=1", "https://app.test/callbacK#",
                "https://app.test/callbacK#x", "https://app.test/callbac%4B", "https://app.test/x/../callbacK",
                "https://app.test//callbacK",
                "https://app.test@evil.test/callbacK", "https://user@app.test/callbacK", "https://app.test.evil.test/callbacK",
                "https://app.test./callbacK", "https://evil.test/https://app.test/callbacK", "https://app.test\\@evil.test/callbacK",
                "//app.test/callbacK", "/callbacK", "javascript:alert(1)", " https://app.test/callbacK", "https://app.test/callbacK ",
                "https://app.test/callbacK\r\nX-Evil: 1", "https://app.test/callbacK\u{0}", "https://app.test/callbacK,https://evil.test/",
                "https://*.test/callbacK",
                // The Kelvin sign is canonically equivalent to K. A `String` comparison treats both as equal, but a server has two paths.
                "https://app.test/callbac\u{212A}",
            ] {
                for path in ["\(platform.acme.issuer)/oauth2/authorize", "\(TestPlatform.publicURL)/auth/apple/authorize"] {
                    let answer = try await TestBrowser(platform).get(request.authorizeURL(changing: ["redirect_uri": uri], at: path))
                    #expect(answer.isPage(400), "\(uri ?? "none") at \(path): \(answer.status) \(answer.location ?? "")")
                }
            }
        }
    }

    @Test("the page shows the redirect URI as text, and no other part of the request")
    func pageSaysNothing() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let hostile = "https://evil.test/\"><script>alert(1)</script>"
            let answer = try await TestBrowser(platform).get(
                request.authorizeURL(changing: ["redirect_uri": hostile, "client_id": request.application.client_id]),
                headers: [("Request-Id", "<script>")])
            #expect(answer.isPage(400))
            #expect(answer.body.contains("<bdi>https://evil.test/&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>"))
            for text in ["<script", request.state, request.application.client_id, request.nonce] {
                #expect(!answer.body.contains(text))
            }
        }
    }

    @Test("a loopback address may have any port, but no other difference")
    func loopback() async throws {
        try await TestPlatform.run { platform in
            // The public application has http://127.0.0.1/callback.
            let request = TestBrowser.Request(platform.acme, application: 1)
            let browser = TestBrowser(platform)
            for uri in ["http://127.0.0.1/callback", "http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback"] {
                #expect(try await browser.get(request.authorizeURL(changing: ["redirect_uri": uri])).status == 302, "\(uri)")
            }
            for uri in [
                "http://127.0.0.1:3000/other", "http://127.0.0.1:3000/callback/", "http://127.0.0.1:3000", "http://localhost:3000/callback",
                "http://[::1]:3000/callback", "https://127.0.0.1:3000/callback", "http://127.0.0.1:3000@evil.test/callback",
                "http://127.0.0.1.evil.test:3000/callback", "http://evil.test:3000/callback", "http://127.0.0.1:3000/callback?x=1",
                "http://127.0.0.1:3000/callback#x", "http://127.0.0.1:3000/%63allback", "http://127.0.0.1:3000/x/../callback",
                "http://user@127.0.0.1:3000/callback", "http://127.0.0.1:3000\\@evil.test/callback", "http://127.1:3000/callback",
                "http://127.0.0.2:3000/callback", "http://0:3000/callback",
            ] {
                #expect(try await browser.get(request.authorizeURL(changing: ["redirect_uri": uri])).isPage(400), "\(uri)")
            }
            // Only the public application has this URI.
            let other = TestBrowser.Request(platform.acme)
            #expect(try await browser.get(other.authorizeURL(changing: ["redirect_uri": "http://127.0.0.1/callback"])).isPage(400))

            var native = request
            native.redirectURI = "http://127.0.0.1:49152/callback"
            let tokens = try await TestBrowser(platform).tokens(native)
            #expect(tokens["access_token"] != nil)
        }
    }

    @Test("every other refusal goes to the application, with its state and the issuer")
    func redirectedErrors() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme)
            let challenge = request.challenge
            let cases: [([String: String?], String)] = [
                (["response_type": nil], "invalid_request"), (["response_type": "token"], "unsupported_response_type"),
                (["response_type": "code id_token"], "unsupported_response_type"), (["response_type": "CODE"], "unsupported_response_type"),
                (["response_mode": "fragment"], "invalid_request"), (["response_mode": "web_message"], "invalid_request"),
                (["request": "e30"], "request_not_supported"), (["request_uri": "urn:x"], "request_uri_not_supported"),
                (["registration": "{}"], "registration_not_supported"),
                (["prompt": "none"], "login_required"), (["prompt": "none login"], "invalid_request"),
                (["prompt": "none none"], "invalid_request"), (["prompt": "login again"], "invalid_request"),
                (["prompt": "Login"], "invalid_request"), (["max_age": "-1"], "invalid_request"), (["max_age": "1.5"], "invalid_request"),
                (["max_age": "+1"], "invalid_request"), (["max_age": "x"], "invalid_request"),
                (["max_age": "99999999999999999999"], "invalid_request"),
                (["nonce": String(repeating: "n", count: 513)], "invalid_request"),
                (["code_challenge": nil, "code_challenge_method": nil], "invalid_request"),
                (["code_challenge": nil], "invalid_request"), (["code_challenge": ""], "invalid_request"),
                (["code_challenge_method": nil], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
                (["code_challenge_method": "s256"], "invalid_request"),
                (["code_challenge": String(challenge.dropLast())], "invalid_request"),
                (["code_challenge": challenge + "A"], "invalid_request"),
                (["code_challenge": challenge.dropLast() + "="], "invalid_request"),
                (["code_challenge": challenge.dropLast() + "+"], "invalid_request"),
            ]
            for (changes, error) in cases {
                let answer = try await TestBrowser(platform).get(request.authorizeURL(changing: changes))
                #expect(answer.reports(request, error), "\(changes): \(answer.status) \(answer.location ?? "")")
                #expect(answer.headers["Set-Cookie"].isEmpty)
            }
        }
    }

    @Test("a state of 4 KiB passes through the whole login unchanged, with the longest redirect URI and nonce, and in two tabs")
    func longState() async throws {
        try await TestPlatform.run { platform in
            let long = "https://app.test/" + String(repeating: "r", count: 1983)
            var (one, other) = (TestBrowser.Request(platform.acme), TestBrowser.Request(platform.acme))
            one.state = "\u{0}é🍎" + String(repeating: "s", count: 4089)
            (other.redirectURI, other.nonce) = (long, String(repeating: "n", count: 512))
            other.state = String(repeating: "z", count: 4096)
            try await platform.setRedirectURIs([long, TestPlatform.redirectURI], of: one.application)
            try await eventually("the change is known") { try await TestBrowser(platform).authorize(other).status == 302 }
            let browser = TestBrowser(platform)
            let first = try await browser.atApple(try await browser.authorize(one), person: "new")
            #expect((first["state"] ?? "").utf8.count <= 4096)
            let second = try await browser.atApple(try await browser.authorize(one), person: "new")
            #expect(browser.cookies.count == 4)
            for form in [first, second] {
                let answer = try await browser.callback(form)
                #expect(answer["state"] == one.state)
                #expect(try await browser.redeem(answer["code"] ?? "", one).status == 200)
            }
            #expect(browser.cookies.isEmpty)

            let longest = try await browser.authorize(other)
            #expect(browser.cookies.allSatisfy { $0.utf8.count + $1.utf8.count <= 4096 })
            #expect(browser.cookies.count == 3)
            #expect(try await browser.callback(try await browser.atApple(longest, person: "cancel")).reports(other, "access_denied"))
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("abandoned attempts do not fill the browser's header; a new attempt replaces those with long states")
    func abandoned() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            var request = TestBrowser.Request(platform.acme)
            let short = try await browser.authorize(request)
            request.state = String(repeating: "s", count: 4096)
            var last = try await browser.authorize(request)
            for _ in 0..<10 {
                last = try await browser.authorize(request)
                #expect(browser.cookies.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 3 } < 8000)
            }
            // The last attempt and those with short states continue. An attempt that lacks the end of its state gets a page.
            #expect(try await browser.callback(try await browser.atApple(last, person: "new"))["state"] == request.state)
            #expect(try await browser.callback(try await browser.atApple(short, person: "new"))["code"] != nil)
            let toApple = try await browser.authorize(request)
            browser.cookies = browser.cookies.filter { !$0.key.hasSuffix("-0") }
            #expect(try await browser.callback(try await browser.atApple(toApple, person: "new")).isPage(400))
        }
    }

    @Test("a state that is too long is refused with the state and the limit; a state beyond all limits gets a page")
    func tooLong() async throws {
        try await TestPlatform.run { platform in
            for length in [4097, 8192, 12 * 1024 - 4] {
                for application in [0, 1] {
                    var request = TestBrowser.Request(platform.acme, application: application)
                    request.state = "é" + String(repeating: "s", count: length - 2)
                    let answer = try await TestBrowser(platform).authorize(request)
                    #expect(answer.reports(request, "invalid_request"), "\(length)")
                    #expect(answer["error_description"] == "state is longer than 4096 bytes. Send a shorter one.")
                }
            }
            var request = TestBrowser.Request(platform.acme)
            for state in [String(repeating: "s", count: 12 * 1024 + 1), String(repeating: "\"", count: 4097)] {
                request.state = state
                #expect(try await TestBrowser(platform).authorize(request).isPage(400))
            }
            // The longest state fits with any bytes.
            request.state = String(repeating: "\"", count: 4096)
            let answer = try await TestBrowser(platform).authorize(request)
            #expect(answer.status == 302)
            #expect(answer.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 } < 16 * 1024)
        }
    }

    @Test("a repeated or malformed parameter gets a page, because it is unclear which one the application sent")
    func malformed() async throws {
        try await TestPlatform.run { platform in
            let url = TestBrowser.Request(platform.acme).authorizeURL
            for tail in ["&redirect_uri=https%3A%2F%2Fevil.test", "&state=2", "&%73tate=2", "&x=%", "&x=%zz", "&x=%ff"] {
                let answer = try await TestBrowser(platform).get(url + tail)
                #expect(answer.isPage(400), "\(tail)")
            }
        }
    }

    @Test("a response is added to the existing query of a redirect URI")
    func queryRetained() async throws {
        try await TestPlatform.run { platform in
            var request = TestBrowser.Request(platform.acme)
            request.redirectURI = "https://app.test/callback?tenant=a%20b"
            try await platform.setRedirectURIs([request.redirectURI], of: request.application)
            let refused = try await TestBrowser(platform).get(request.authorizeURL(changing: ["prompt": "none"]))
            #expect(refused.location?.hasPrefix("\(request.redirectURI)&error=login_required&") == true)
            let answer = try await TestBrowser(platform).signIn(request)
            #expect(answer.location?.hasPrefix("\(request.redirectURI)&code=") == true)
        }
    }

    @Test("an application that is exempt from PKCE may omit it, but only entirely")
    func exempt() async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme, application: 2)
            let browser = TestBrowser(platform)
            let without = try await browser.get(request.authorizeURL(changing: ["code_challenge": nil, "code_challenge_method": nil]))
            #expect(without.status == 302)
            #expect(try await browser.authorize(request).status == 302)
            #expect(try await browser.get(request.authorizeURL(changing: ["code_challenge": nil])).reports(request, "invalid_request"))
        }
    }

    @Test("a challenge that is missing or uses another method is refused with the setting and the command that changes it")
    func challengeAdvice() async throws {
        try await TestPlatform.run { platform in
            let without = ["code_challenge": nil, "code_challenge_method": nil] as [String: String?]
            let (half, plain) = (["code_challenge": nil], ["code_challenge_method": "plain"]) as ([String: String?], [String: String?])
            let ids = platform.acme.applications.map(\.client_id)
            let command = "set requires_pkce to false: espalierctl applications update \(ids[0]) --tenant acme --no-pkce"
            // A confidential application, a public one, and a confidential one that is exempt.
            for (application, changes, problem, advice) in [
                (0, without, "code_challenge is missing.", command), (0, plain, "code_challenge_method must be S256.", command),
                (1, without, "code_challenge is missing.", "always needs it"),
                (1, plain, "code_challenge_method must be S256.", "always needs it"),
                (2, half, "code_challenge is missing.", "send neither"), (2, plain, "code_challenge_method must be S256.", "send neither"),
            ] {
                let request = TestBrowser.Request(platform.acme, application: application)
                let answer = try await TestBrowser(platform).get(request.authorizeURL(changing: changes))
                #expect(answer.reports(request, "invalid_request"))
                let description = answer["error_description"] ?? ""
                #expect(description.hasPrefix(problem) && description.contains(advice), "\(description)")
                // The characters that RFC 6749, section 4.1.2.1 allows.
                #expect(description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
            }
        }
    }

    @Test("a tenant without a connection gets an error that names the cause")
    func noConnection() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run("DELETE FROM apple_key WHERE key_id = \(platform.shared.keyID)")
            let request = TestBrowser.Request(platform.globex)
            #expect(try await TestBrowser(platform).authorize(request).reports(request, "server_error"))
            #expect(try await TestBrowser(platform).authorize(.init(platform.acme)).status == 302)
        }
    }
}
