import AppleSimulator
import Foundation
import JWTKit
import Testing

@Suite("Authorize")
struct AuthorizeTests {
    /// One changed parameter of a valid request, and the error on Apple's page.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let changes: [String: String?]
        let error: String
        let reason: String

        init(_ description: String, _ changes: [String: String?], _ error: String, _ reason: String) {
            (testDescription, self.changes, self.error, self.reason) = (description, changes, error, reason)
        }
    }

    static let mistakes: [Mistake] = [
        Mistake("no client", ["client_id": nil], "invalid_request", "client_id is missing"),
        Mistake("an unknown client", ["client_id": "com.example.other"], "invalid_client", "not a registered"),
        Mistake("the client in capitals", ["client_id": "COM.EXAMPLE.WEB"], "invalid_client", "not a registered"),
        Mistake("a bundle ID", ["client_id": Website.bundleID], "invalid_client", "bundle ID"),
        Mistake("no redirect URI", ["redirect_uri": nil], "invalid_request", "redirect_uri is missing"),
        Mistake("an unregistered redirect URI", ["redirect_uri": "https://example.com/callback"], "invalid_request", "not registered"),
        Mistake("a longer redirect URI", ["redirect_uri": Website.redirectURI + "&a=b"], "invalid_request", "not registered"),
        Mistake("no response type", ["response_type": nil], "invalid_request", "response_type is missing"),
        Mistake("an id_token alone", ["response_type": "id_token"], "unsupported_response_type", "response_type"),
        Mistake("an unknown response mode", ["response_mode": "web_message"], "invalid_request", "response_mode must be"),
        Mistake("a scope by query", ["response_mode": "query"], "invalid_request", "when scope is set"),
        Mistake("a scope by fragment", ["response_mode": "fragment"], "invalid_request", "when scope is set"),
        Mistake("a scope without a response mode", ["response_mode": nil], "invalid_request", "when scope is set"),
        Mistake(
            "an id_token by query", ["scope": nil, "response_mode": "query", "response_type": "code id_token"], "invalid_request",
            "for an id_token"),
        Mistake("an unknown scope", ["scope": "name phone"], "invalid_scope", "scope"),
    ]

    @Test("a mistake shows on a page and is not sent back", arguments: mistakes)
    func mistake(_ mistake: Mistake) async throws {
        try await withSimulator { website in
            for person in ["Ada Lovelace", nil] {
                let answer = try await website.authorize(as: person, mistake.changes)
                #expect(answer.status == 400)
                #expect(answer.header("location") == nil)
                #expect(answer.text.contains("<code>\(mistake.error)</code>"))
                #expect(answer.reason?.contains(mistake.reason) == true, "\(answer.reason ?? "no reason")")
                #expect(answer.hiddenFields.isEmpty)
            }
        }
    }

    @Test("a parameter that occurs twice is refused")
    func repeated() async throws {
        try await withSimulator { website in
            let answer = try await Website.send("GET", "\(website.url)/auth/authorize?\(Website.encode(Website.authorization()))&state=b")
            #expect(answer.status == 400)
            #expect(answer.text.contains("invalid_request"))
        }
    }

    @Test("a form_post page has code, state and user as hidden inputs, and posts itself to the redirect URI")
    func formPost() async throws {
        try await withSimulator { website in
            let answer = try await website.authorize(["state": #"a"b<c>&'d"#])
            #expect(answer.status == 200)
            #expect(Set(answer.hiddenFields.keys) == ["code", "state", "user"])
            #expect(answer.hiddenFields["state"] == #"a"b<c>&'d"#)
            #expect(answer.text.contains(#"<form method="post" action="https://example.com/callback?from=apple">"#))
            #expect(answer.text.contains(#"<button type="submit">"#))
            let policy = try #require(answer.header("content-security-policy"))
            #expect(policy.contains("frame-ancestors 'none'"))
            #expect(policy.contains("script-src 'sha256-"))
        }
    }

    @Test("query and fragment modes redirect with code and state")
    func redirects() async throws {
        try await withSimulator { website in
            for (mode, start) in [("query", "\(Website.redirectURI)&code="), ("fragment", "\(Website.redirectURI)#code=")] {
                let answer = try await website.authorize(["scope": nil, "response_mode": mode])
                #expect(answer.status == 302)
                let location = try #require(answer.header("location"))
                #expect(location.hasPrefix(start))
                #expect(location.hasSuffix("&state=state-1"))
                let code = location.dropFirst(start.count).prefix { $0 != "&" }
                #expect(try await website.redeem(String(code)).status == 200)
            }
        }
    }

    @Test("code id_token returns a signed id_token with the code")
    func hybrid() async throws {
        try await withSimulator { website in
            let fields = try await website.authorize(["response_type": "code id_token"]).hiddenFields
            let claims = try await website.verified(fields["id_token"])
            #expect(claims["nonce"] == "nonce-1")
            #expect(claims["c_hash"]?.asString != nil)
            #expect(claims["at_hash"] == nil)
            #expect(try await website.redeem(try #require(fields["code"])).status == 200)
        }
    }

    @Test("cancel is returned with state and nothing else")
    func cancel() async throws {
        try await withSimulator { website in
            let posted = try await website.authorize(as: "cancel")
            #expect(posted.hiddenFields == ["error": "user_cancelled_authorize", "state": "state-1"])
            let redirected = try await website.authorize(as: "cancel", ["scope": nil, "response_mode": "query"])
            #expect(redirected.header("location") == "\(Website.redirectURI)&error=user_cancelled_authorize&state=state-1")
        }
    }

    @Test("with the option off, loopback redirects are rejected even if a registry file has them")
    func loopbackOff() async throws {
        let json = #"""
            {"teams": [{"id": "TEAM000009", "services_ids": [
                {"id": "com.example.local", "display_name": "Local", "return_urls": ["http://localhost:8080/callback"]}]}]}
            """#
        let registry = try Registry(json: Data(json.utf8))
        let changes = ["client_id": "com.example.local", "redirect_uri": "http://localhost:8080/callback"]
        for (allowed, status) in [(true, 200), (false, 400)] {
            try await withSimulator(AppleSimulator.Configuration(allowsLoopbackRedirects: allowed, registry: registry)) { website in
                let answer = try await website.authorize(changes)
                #expect(answer.status == status)
            }
        }
    }
}
