import Apple
import Encoding
import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// The error that the application receives if Apple does not respond, or sends an invalid response.
@Suite("Apple's failures")
struct AppleFailureTests {
    @Test("an unavailable Apple becomes temporarily_unavailable; a refusal or an invalid response becomes server_error")
    func failures() async throws {
        try await TestPlatform.run { platform in
            let cases: [([String: any Sendable], String)] = [
                (["fault": "status", "status": 500], "temporarily_unavailable"),
                (["fault": "status", "status": 503], "temporarily_unavailable"),
                (["fault": "status", "status": 429], "temporarily_unavailable"), (["fault": "drop"], "temporarily_unavailable"),
                (["fault": "malformed_json"], "server_error"), (["fault": "status", "status": 400], "server_error"),
                (["fault": "error", "error": "invalid_client"], "server_error"),
                (["fault": "error", "error": "invalid_grant"], "server_error"),
                (["fault": "error", "error": "invalid_request"], "server_error"),
                (["fault": "error", "error": "unauthorized_client"], "server_error"),
                (["fault": "error", "error": "unsupported_grant_type"], "server_error"),
                (["fault": "error", "error": "invalid_scope"], "server_error"), (["fault": "error", "error": "<new>"], "server_error"),
            ]
            for (fault, error) in cases {
                let browser = TestBrowser(platform)
                let request = TestBrowser.Request(platform.acme)
                let own: [String: any Sendable] = ["endpoint": "token", "client_id": platform.own.servicesID, "times": 1]
                try await platform.simulator.fault(own.merging(fault) { $1 })
                let answer = try await browser.signIn(request)
                #expect(answer.reports(request, error), "\(fault): \(answer.status) \(answer.location ?? "")")
                #expect(browser.cookies.isEmpty)
                // The failure was Apple's and is over.
                #expect(try await browser.signIn(request)["code"] != nil)
            }
        }
    }

    @Test("a slow Apple becomes temporarily_unavailable in time, and delays no other tenant")
    func slow() async throws {
        try await TestPlatform.run({ $0.apple.timeout = .seconds(20) }) { platform in
            let request = TestBrowser.Request(platform.acme)
            try await platform.simulator.fault([
                "endpoint": "token", "fault": "slow", "milliseconds": 60_000, "client_id": platform.own.servicesID, "times": 1,
            ])
            let (finished, finish) = AsyncStream.makeStream(of: String.self)
            async let late = {
                let answer = try await TestBrowser(platform).signIn(request)
                finish.yield("acme")
                return answer
            }()
            _ = try await TestBrowser(platform).tokens(.init(platform.globex))
            finish.yield("globex")
            #expect(await finished.first { _ in true } == "globex", "another tenant's login waited for Apple's answer to this one")
            #expect(try await late.reports(request, "temporarily_unavailable"))
        }
    }

    @Test("an unreachable Apple becomes temporarily_unavailable")
    func unreachable() async throws {
        // Nothing listens on port 1 of the loopback address.
        try await TestPlatform.run({
            $0.apple.baseURL = "http://127.0.0.1:1"
            $0.apple.timeout = .seconds(1)
        }) { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let state = try await browser.authorize(request)["state"]
            // The token is well-formed. Its key must be fetched first.
            let token = "\(Array(#"{"alg":"RS256","kid":"k"}"#.utf8).base64URL).e30.AAAA"
            let answer = try await browser.post(
                platform.acme.return_url, form: [("state", state ?? ""), ("code", "c"), ("id_token", token)])
            #expect(answer.reports(request, "temporarily_unavailable"))
        }
    }

    @Test("a change of Apple's keys during a login does not stop the login")
    func keysRotated() async throws {
        try await OwnApple.run({ $0.apple.keysRefetchInterval = .zero }) { platform, apple in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            // The current keys are cached.
            _ = try await browser.tokens(request)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            try await apple.fault(["endpoint": "token", "fault": "rotate_keys", "times": 1])
            #expect(try await browser.callback(form)["code"] != nil)
        }
    }

    @Test("a failure of Apple's key endpoint affects only logins that need a new key")
    func keysUnavailable() async throws {
        try await OwnApple.run { platform, apple in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            try await apple.fault(["endpoint": "keys", "fault": "status", "status": 500])
            #expect(try await browser.signIn(request).reports(request, "temporarily_unavailable"))
            try await apple.send("DELETE", "/simulator/faults", [:])
            let code = try await browser.code(request)
            // The cached keys are used now.
            try await apple.fault(["endpoint": "keys", "fault": "status", "status": 500])
            #expect(try await browser.signIn(request)["code"] != nil)
            #expect(try await browser.redeem(code, request).status == 200)
        }
    }

    @Test("a key that Apple rejects becomes server_error, and the log names the tenant")
    func wrongKey() async throws {
        try await TestPlatform.run { platform in
            try await SecondServer.run(beside: platform) { server in
                _ = try await platform.ownerPool.run("UPDATE apple_key SET key_id = 'ZZZZZZZZZZ' WHERE key_id = \(platform.own.keyID)")
                let request = TestBrowser.Request(platform.acme)
                let answer = try await server.signIn(request, TestBrowser(platform))
                #expect(answer.reports(request, "server_error"))
                #expect(server.log.text.contains("outcome=apple_invalid_client"))
                #expect(server.log.text.contains("tenant=acme"))
            }
        }
    }

    @Test("a key that is sealed for another row is not used")
    func foreignSeal() async throws {
        try await TestPlatform.run { platform in
            // Simulate an attacker who can write to the database but has no master key.
            _ = try await platform.ownerPool.run(
                """
                UPDATE apple_key SET sealed_pem = (SELECT sealed_pem FROM apple_key WHERE key_id = \(platform.shared.keyID))
                WHERE key_id = \(platform.own.keyID)
                """)
            let request = TestBrowser.Request(platform.acme)
            #expect(try await TestBrowser(platform).signIn(request).reports(request, "server_error"))
        }
    }
}
