import Server
@testable import Terminal
import TestSupport
import Testing

@Suite("Authorize terminal")
struct AuthorizeTerminalTests {
    @Test("a request leads to the page by a cookie, and writes no row; a wrong one gets its error at the loopback address")
    func asks() async throws {
        try await TestPlatform.run { platform in
            let person = try await TerminalPerson(platform)
            let program = TerminalPerson.Program()
            let asked = try await person.authorize(program.query)
            #expect(asked.status == 303 && asked.location == "/account/oauth2/approval")
            #expect(asked.header("Set-Cookie")?.hasPrefix("__Host-espalier-account-terminal=") == true)
            #expect(try await platform.count("person_device") == 0)

            for (name, value, error) in [
                ("response_type", "token", "unsupported_response_type"), ("code_challenge_method", "plain", "invalid_request"),
                ("code_challenge", "short", "invalid_request"), ("host_name", "not a name", "invalid_request"),
                ("max_age", "-1", "invalid_request"),
            ] {
                let refused = try await person.authorize(program.query.filter { $0.0 != name } + [(name, value)])
                #expect(refused.location?.hasPrefix(TerminalPerson.redirectURI + "?") == true, "\(name)")
                #expect(
                    refused["error"] == error && refused["state"] == program.state && refused["iss"] == TerminalPerson.issuer, "\(name)")
            }
        }
    }

    @Test("only a loopback address with a port and the path of the program gets an answer")
    func addresses() {
        for uri in ["http://127.0.0.1:1/callback", "http://127.0.0.1:65535/callback", "http://[::1]:4321/callback"] {
            #expect(TerminalClient.mayRedirect(to: uri), "\(uri)")
        }
        for uri in [
            "http://127.0.0.1/callback", "http://127.0.0.1:0/callback", "http://127.0.0.1:65536/callback", "http://127.0.0.1:080/callback",
            "https://127.0.0.1:80/callback", "http://localhost:80/callback", "http://127.0.0.1:80/callback/",
            "http://127.0.0.1:80/callback?a",
            "http://127.0.0.1:80@evil.example/callback", "http://127.0.0.1:80.evil.example/callback", "http://127.0.0.1:8\u{0660}/callback",
            "http://127.0.0.1:80\u{200D}/callback", "http://127.0.0.1:80/\u{301}callback", "http://127.0.0.1:80/callback\u{600}",
            "http://127.0.0.1:/callback", "",
        ] { #expect(!TerminalClient.mayRedirect(to: uri), "\(uri)") }
    }

    @Test("the name of a machine has no letters in which a sentence can hide")
    func names() {
        #expect(TerminalName("laptop-7.example_A") != nil && TerminalName(String(repeating: "a", count: 60)) != nil)
        for text in ["", String(repeating: "a", count: 61), "a b", "a\u{301}", "\u{600}a", "a\u{200D}b", "<b>", "ä"] {
            #expect(TerminalName(text) == nil, "\(text)")
        }
    }
}
