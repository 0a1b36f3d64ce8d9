import NIOHTTP1
import Server
import TestSupport
import Testing

/// PKCE cannot be removed (RFC 9700, sections 2.1.1 and 4.8; RFC 7636, section 7.2; ASVS 10.4.6).
@Suite("Attack: PKCE downgrade")
struct PKCEDowngradeTests {
    @Test("RFC 9700, 4.8: an authorization request without a valid challenge is rejected if PKCE is required")
    func withoutChallenge() async throws {
        try await TestPlatform.run { platform in
            for application in [0, 1] {
                let request = TestBrowser.Request(platform.acme, application: application)
                let weak: [KeyValuePairs<String, String?>] = [
                    ["code_challenge": nil, "code_challenge_method": nil], ["code_challenge": nil], ["code_challenge": ""],
                    ["code_challenge": String(request.challenge.dropLast())], ["code_challenge": request.challenge + "="],
                    ["code_challenge": request.challenge + "A"], ["code_challenge": "null"],
                ]
                for changes in weak {
                    let answer = try await TestBrowser(platform).get(request.url(changing: changes))
                    #expect(answer.givesApplicationNoCode && answer["error"] == "invalid_request", "\(changes)")
                }
            }
        }
    }

    @Test("RFC 7636, 7.2: `plain` is rejected, and so is every other spelling of the method", arguments: [0, 1, 2])
    func plain(application: Int) async throws {
        try await TestPlatform.run { platform in
            let request = TestBrowser.Request(platform.acme, application: application)
            for method in ["plain", nil, "", "s256", "S512", "S256 plain", "S256\0"] as [String?] {
                // With `plain`, the challenge in the URL would be the verifier.
                let answer = try await TestBrowser(platform).get(request.url(changing: ["code_challenge_method": method]))
                #expect(answer.givesApplicationNoCode && answer["error"] == "invalid_request", "\(method ?? "none")")
            }
            let metadata = try await TestBrowser(platform).get("\(platform.acme.issuer)/.well-known/openid-configuration").json
            #expect(metadata["code_challenge_methods_supported"] as? [String] == ["S256"])
        }
    }

    @Test("RFC 9700, 4.8.2: a code is redeemed only with the verifier of its challenge")
    func verifier() async throws {
        try await TestPlatform.run { platform in
            for application in [0, 1, 2] {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme, application: application))
                let code = try await browser.stolenCode(request)
                for wrong in [
                    nil, "", request.challenge, String(request.verifier.dropLast()), request.verifier + "A", request.verifier.uppercased(),
                    TestBrowser.randomText(), String(repeating: "A", count: 42), String(repeating: "A", count: 129),
                ] {
                    let answer = try await browser.token(request, request.redeeming(code, verifier: wrong))
                    #expect(answer.refuses("invalid_grant"), "\(wrong ?? "none")")
                }
                #expect(try await browser.redeem(code, request).status == 200)
            }
        }
    }

    @Test("RFC 9700, 4.8.2: a verifier for a request without a challenge means that an attacker removed it")
    func takenAway() async throws {
        try await TestPlatform.run { platform in
            // The only kind of application that may omit PKCE.
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme, application: 2))
            let stripped = try await browser.get(request.url(changing: ["code_challenge": nil, "code_challenge_method": nil]))
            let code = try #require(try await browser.callback(try await browser.atApple(stripped, person: "new"))["code"])
            #expect(try await browser.redeem(code, request).refuses("invalid_grant"))
            #expect(try await platform.count("session") == 0)
        }
    }
}
