import Crypto
import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

/// `response_mode=form_post`: the response is a page that posts its parameters.
@Suite("Form post")
struct FormPostTests {
    /// The fields that a page posts, and the target.
    private static func form(_ page: TestBrowser.Answer) throws -> TestBrowser.AppleForm {
        #expect(page.status == 200)
        #expect(page.location == nil)
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(page.header("Cache-Control") == "no-store")
        return try #require(TestBrowser.AppleForm(html: page.body))
    }

    private static func policy(_ page: TestBrowser.Answer) -> [String: String] {
        let directives = (page.header("Content-Security-Policy") ?? "").components(separatedBy: "; ")
            .map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        return Dictionary(uniqueKeysWithValues: directives.map { ($0[0], $0[1]) })
    }

    @Test("the page posts code, state and issuer to the redirect URI, and the code is valid")
    func success() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let page = try await party.signIn(["response_mode": "form_post"])
            let form = try Self.form(page)
            #expect(form.action == party.request.redirectURI)
            #expect(Set(form.fields.map(\.0)) == ["code", "state", "iss"])
            #expect(form["state"] == party.request.state)
            #expect(form["iss"] == platform.acme.issuer)
            #expect(party.browser.cookies.isEmpty)
            _ = try await party.login(code: try #require(form["code"]), nonce: party.request.nonce)
        }
    }

    @Test("a refusal uses the same mode: at once, and after a cancellation at Apple")
    func refusals() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let refused = try Self.form(try await party.authorize(["response_mode": "form_post", "prompt": "none"]))
            let cancelled = try Self.form(try await party.signIn(["response_mode": "form_post"], person: "cancel"))
            for (form, error) in [(refused, "login_required"), (cancelled, "access_denied")] {
                #expect(form.action == party.request.redirectURI)
                #expect(Set(form.fields.map(\.0)) == ["error", "error_description", "state", "iss"])
                #expect(form["error"] == error)
                #expect(form["state"] == party.request.state)
                #expect(form["iss"] == platform.acme.issuer)
            }
        }
    }

    @Test("the policy allows the page only its own script and a post to the application; a button works without the script")
    func policy() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            let page = try await party.signIn(["response_mode": "form_post"])
            let policy = Self.policy(page)
            #expect(Set(policy.keys) == ["default-src", "script-src", "style-src", "form-action", "frame-ancestors", "base-uri"])
            #expect(policy["default-src"] == "'none'")
            #expect(policy["form-action"] == "https://app.test")
            #expect(policy["frame-ancestors"] == "'none'")
            #expect(policy["base-uri"] == "'none'")
            for (element, directive) in [("script", "script-src"), ("style", "style-src")] {
                let sources = page.body.matches(of: try Regex("(?s)<\(element)>(.*?)</\(element)>")).map { String($0[1].substring ?? "") }
                #expect(sources.count == 1)
                let hash = Data(SHA256.hash(data: Data((sources.first ?? "").utf8))).base64EncodedString()
                #expect(policy[directive] == "'sha256-\(hash)'")
            }
            #expect(page.body.contains("<button>"))
            #expect(page.header("Referrer-Policy") == "origin")
        }
    }

    @Test("the application's values are only text on the page, and arrive unchanged")
    func escaped() async throws {
        try await TestPlatform.run { platform in
            let redirectURI = "https://app.test/callback?a='b'&c=d"
            try await platform.setRedirectURIs([redirectURI], of: platform.acme.applications[2])
            var party = try await RelyingParty(platform)
            party.request.redirectURI = redirectURI
            party.request.state = #""><script>alert('1')</script>&amp;<x a='é"#
            let page = try await party.signIn(["response_mode": "form_post"])
            #expect(page.body.components(separatedBy: "<script>").count == 2)
            #expect(!page.body.contains("alert('1')"))
            let form = try Self.form(page)
            #expect(form.action == party.request.redirectURI)
            #expect(form["state"] == party.request.state)
        }
    }

    @Test("a state that a form would change is refused, and returns unchanged by a redirect")
    func controlCharacters() async throws {
        try await TestPlatform.run { platform in
            let party = try await RelyingParty(platform)
            for state in ["a\nb", "a\rb", "a\u{0}b", "\t"] {
                let answer = try await party.authorize(["response_mode": "form_post", "state": state])
                #expect(answer["error"] == "invalid_request")
                #expect(answer["state"] == state)
                #expect(answer["error_description"]?.hasPrefix("state has a control character. A form cannot carry it.") == true)
            }
        }
    }

    @Test("if no browser can post to the redirect URI, the refusal is a redirect")
    func unreachable() async throws {
        try await TestPlatform.run { platform in
            var request = TestBrowser.Request(platform.acme, application: 1)
            let uris = ["com.example.app:/callback", "http://[::1]/callback", "http://127.0.0.1/callback"]
            try await platform.setRedirectURIs(uris, of: request.application)
            for uri in ["com.example.app:/callback", "http://[::1]:3000/callback"] {
                request.redirectURI = uri
                let answer = try await TestBrowser(platform).get(request.authorizeURL(changing: ["response_mode": "form_post"]))
                #expect(answer.reports(request, "invalid_request"), "\(uri): \(answer.status)")
            }
            request.redirectURI = "http://127.0.0.1:3000/callback"
            let page = try await TestBrowser(platform)
                .get(request.authorizeURL(changing: ["response_mode": "form_post", "prompt": "none"]))
            #expect(Self.policy(page)["form-action"] == "http://127.0.0.1:3000")
        }
    }
}
