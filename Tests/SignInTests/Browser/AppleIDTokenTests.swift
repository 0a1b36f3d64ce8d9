import Foundation
import Server
import TestSupport
import Testing

/// Each rule for Apple's id_token is broken alone, through the whole callback.
@Suite("Apple's id_token")
struct AppleIDTokenTests {
    @Test("a token that breaks one rule is refused, and the log names the rule")
    func oneRuleBroken() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                let now = Int(Date().timeIntervalSince1970)
                func claim(_ name: String, _ value: (any Sendable)? = nil) -> [String: any Sendable] {
                    var fault: [String: any Sendable] = ["fault": "claim", "claim": name]
                    fault["value"] = value
                    return fault
                }
                let cases: [([String: any Sendable], String)] = [
                    (["fault": "bad_signature"], "signature"), (["fault": "alg", "alg": "none"], "algorithm"),
                    (["fault": "alg", "alg": "HS256"], "algorithm"), (["fault": "unknown_kid"], "unknownKey"),
                    (claim("iss", "https://appleid.apple.com.evil.test"), "issuer"), (claim("iss", "https://appleid.apple.com/"), "issuer"),
                    (claim("iss"), "malformed"), (claim("aud", platform.shared.servicesID), "audience"), (claim("aud", "x"), "audience"),
                    (claim("aud"), "malformed"), (claim("exp", now - 3600), "expired"), (claim("exp"), "malformed"),
                    (claim("iat", now + 3600), "notYetValid"), (claim("nbf", now + 3600), "notYetValid"), (claim("sub"), "subject"),
                    (claim("sub", ""), "subject"), (claim("sub", String(repeating: "s", count: 256)), "subject"),
                    (claim("nonce"), "nonceMissing"), (claim("nonce", "another"), "nonceMismatch"), (claim("nonce", ""), "nonceMismatch"),
                ]
                for (fault, rule) in cases {
                    let request = TestBrowser.Request(platform.acme)
                    let own: [String: any Sendable] = ["endpoint": "token", "client_id": platform.own.servicesID, "times": 1]
                    try await platform.simulator.fault(own.merging(fault) { $1 })
                    _ = server.log.take()
                    let answer = try await server.signIn(request, TestBrowser(platform))
                    #expect(answer.reports(request, "server_error"), "\(fault): \(answer.status) \(answer.location ?? "")")
                    #expect(server.log.take().contains("outcome=id_token_\(rule) "), "\(fault)")
                }
                // All rules are followed again.
                #expect(try await server.signIn(.init(platform.acme), TestBrowser(platform))["code"] != nil)
            }
        }
    }

    @Test("the nonce of an earlier login is refused")
    func replayedNonce() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let earlier = try await browser.authorize(request)
            #expect(try await browser.callback(try await browser.atApple(earlier, person: "new"))["code"] != nil)
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "claim", "claim": "nonce", "value": try #require(earlier["nonce"]),
                "client_id": platform.own.servicesID, "times": 1,
            ])
            #expect(try await browser.signIn(request).reports(request, "server_error"))
        }
    }

    @Test("known variations in Apple's tokens are accepted")
    func accepted() async throws {
        try await TestPlatform.run { platform in
            let cases: [[String: (any Sendable)?]] = [
                ["iss": "https://account.apple.com"], ["nonce": nil, "nonce_supported": false], ["nonce": nil, "nonce_supported": "false"],
                ["email": nil, "email_verified": nil, "is_private_email": nil], ["email": ""], ["email_verified": "yes"],
                ["auth_time": nil],
                ["nonce_supported": nil], ["real_user_status": 7], ["something_new": ["a": 1]],
                // These numbers exceed the range of a date.
                ["auth_time": 1e300], ["auth_time": -1e300], ["exp": 1e300], ["iat": -1e300],
            ]
            for claims in cases {
                let request = TestBrowser.Request(platform.acme)
                for (name, value) in claims {
                    var fault: [String: any Sendable] = [
                        "endpoint": "token", "fault": "claim", "claim": name, "client_id": platform.own.servicesID, "times": 1,
                    ]
                    fault["value"] = value
                    try await platform.simulator.fault(fault)
                }
                let answer = try await TestBrowser(platform).signIn(request)
                #expect(answer["code"] != nil, "\(claims): \(answer.location ?? "")")
            }
        }
    }

    @Test("Booleans are accepted as Booleans and as strings")
    func booleans() async throws {
        try await TestPlatform.run { platform in
            let cases: [((any Sendable)?, Bool)] = [
                (true, true), (false, false), ("true", true), ("false", false), ("TRUE", false), (1, false), (nil, false),
            ]
            for (value, expected) in cases {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                for name in ["email_verified", "is_private_email"] {
                    var fault: [String: any Sendable] = [
                        "endpoint": "token", "fault": "claim", "claim": name, "client_id": platform.own.servicesID, "times": 1,
                    ]
                    fault["value"] = value
                    try await platform.simulator.fault(fault)
                }
                let token = try claims(of: try await browser.tokens(request)["id_token"] as? String)
                #expect(token["email_verified"] as? Bool == expected, "\(String(describing: value))")
                #expect(token["is_private_email"] as? Bool == expected, "\(String(describing: value))")
            }
        }
    }
}
