import Crypto
import Apple
import AsyncHTTPClient
import Foundation
import Testing

@Suite("Apple's token endpoint")
struct TokenTests {
    private let path = "/auth/token"
    private let redirectURI = "https://login.example.com/t/acme/auth/apple/callback"
    private let answer = #"{"access_token":"at","token_type":"Bearer","expires_in":3600,"refresh_token":"rt","id_token":"it"}"#

    private func redeem(_ client: AppleClient, code: String = "c0de", with credentials: AppleClientCredentials = .make())
        async throws(AppleError)
        -> AppleTokens
    {
        try await client.redeem(code: code, redirectURI: redirectURI, credentials: credentials, at: Claims.now)
    }

    @Test("a code is redeemed with exactly the required fields")
    func redeems() async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .json(answer))
            let code = "c+0/d=e&x y%41ä.0"
            let tokens = try await redeem(client, code: code)
            #expect(tokens.idToken == "it")
            #expect(tokens.refreshToken == "rt")
            #expect(tokens.accessToken == "at")
            let request = try #require(apple.requests(path).first)
            #expect(request.method == "POST")
            #expect(request.contentType == "application/x-www-form-urlencoded")
            var form = request.form
            #expect(form.removeValue(forKey: "client_secret")?.split(separator: ".").count == 3)
            #expect(
                form == [
                    "grant_type": "authorization_code", "code": code, "redirect_uri": redirectURI, "client_id": Claims.audience,
                ])
        }
    }

    @Test("a native application's code is redeemed without a redirect URI")
    func redeemsNativeCode() async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .json(answer))
            _ = try await client.redeem(code: "c", redirectURI: nil, credentials: .make(client: "com.example.app"), at: Claims.now)
            let form = try #require(apple.requests(path).first).form
            #expect(Set(form.keys) == ["grant_type", "code", "client_id", "client_secret"])
            #expect(form["client_id"] == "com.example.app")
        }
    }

    // MARK: Other responses

    @Test(
        "each OAuth error is distinguished",
        arguments: [
            ("invalid_request", .invalidRequest), ("invalid_client", .invalidClient), ("invalid_grant", .invalidGrant),
            ("unauthorized_client", .unauthorizedClient), ("unsupported_grant_type", .unsupportedGrantType),
            ("invalid_scope", .invalidScope), ("something_new", .other), ("", .other),
        ] as [(String, OAuthErrorCode)])
    func refused(error: String, code: OAuthErrorCode) async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .json(#"{"error":"\#(error)","error_description":"…"}"#, status: 400))
            await #expect(throws: AppleError.refused(code)) { try await redeem(client) }
        }
    }

    @Test("any other status means that Apple is unavailable, regardless of the body", arguments: [201, 401, 403, 404, 429, 500, 502, 503])
    func unavailable(status: Int) async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .html(status))
            await #expect(throws: AppleError.unavailable(status: status)) { try await redeem(client) }
            apple.answer(path, .json(#"{"error":"invalid_grant"}"#, status: status))
            await #expect(throws: AppleError.unavailable(status: status)) { try await redeem(client) }
        }
    }

    @Test(
        "a success without tokens is an invalid response",
        arguments: [
            "", "{", "[]", "null", "<html></html>", #"{"access_token":"at"}"#, #"{"access_token":"at","id_token":null}"#,
            #"{"access_token":"at","id_token":17}"#, #"{"error":"invalid_grant"}"#,
            #"{"access_token":"at","id_token":"it","refresh_token":17}"#, #"{"access_token":"at","id_token":"it"} x"#,
            // Two readers could redeem two different tokens.
            #"{"access_token":"at","id_token":"it","id_token":"other"}"#, #"{"access_token":"at","id_token":"it","id\u005ftoken":"it"}"#,
        ])
    func malformed(body: String) async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .json(body))
            await #expect(throws: AppleError.nonsense("a token response without tokens")) { try await redeem(client) }
        }
    }

    @Test("a refusal without an error code is invalid", arguments: ["", "[]", "<html></html>", #"{"error":17}"#, #"{"message":"no"}"#])
    func malformedRefusal(body: String) async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .json(body, status: 400))
            await #expect(throws: AppleError.nonsense("an error response without an error code")) { try await redeem(client) }
        }
    }

    @Test("a response over 64 KiB is not read, with or without a Content-Length", arguments: [true, false])
    func oversized(announced: Bool) async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .large(65 * 1024, announced: announced))
            await #expect(throws: AppleError.nonsense("it is longer than 64 KiB")) { try await redeem(client) }
        }
    }

    @Test("a redirect is not followed", arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .redirect(status, to: "/elsewhere"))
            apple.answer("/elsewhere", .json(answer))
            await #expect(throws: AppleError.unavailable(status: status)) { try await redeem(client) }
            #expect(apple.requests("/elsewhere").isEmpty)
        }
    }

    @Test("a redirect that the HTTP client followed by mistake is rejected")
    func followedRedirect() async throws {
        try await FakeApple.run(http: HTTPClient.Configuration()) { apple, client in
            apple.answer(path, .redirect(303, to: "/elsewhere"))
            apple.answer("/elsewhere", .json(answer))
            await #expect(throws: AppleError.nonsense("it is a redirect")) { try await redeem(client) }
        }
    }

    // MARK: Time and connection

    @Test("128 slow calls of one tenant are in progress at once, each on its own connection")
    func concurrent() async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .held(answer))
            let credentials = AppleClientCredentials.make()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...128 { group.addTask { _ = try await redeem(client, code: "code-\(number)", with: credentials) } }
                // None has an answer yet, so none has waited for another.
                await apple.waitForRequests(128)
                #expect(client.load.calls == 128)
                #expect(client.load.waited == 0)
                apple.release()
                try await group.waitForAll()
            }
            #expect(Set(apple.requests(path).compactMap { $0.form["code"] }).count == 128)
        }
    }

    @Test("a response that does not arrive or end is stopped at the time limit", arguments: [FakeApple.Answer.silent, .stalled])
    func timesOut(answer: FakeApple.Answer) async throws {
        try await FakeApple.run({ $0.timeout = .milliseconds(200) }) { apple, client in
            apple.answer(path, answer)
            await #expect(throws: AppleError.timedOut) { try await redeem(client) }
            #expect(apple.requests(path).count <= 1, "a code is never sent twice")
        }
    }

    @Test("a broken connection means that Apple is unreachable")
    func cutOff() async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .cutOff)
            await #expect(throws: AppleError.unreachable) { try await redeem(client) }
        }
    }

    @Test("a port without a listener means that Apple is unreachable")
    func nobodyListens() async throws {
        // Port 1 is privileged and reserved (tcpmux), so nothing that these tests start can use it.
        try await FakeApple.run({ $0.baseURL = "http://127.0.0.1:1" }) { _, client in
            await #expect(throws: AppleError.unreachable) { try await redeem(client) }
        }
    }

    @Test("a cancelled call ends at once, as cancelled", arguments: [FakeApple.Answer.silent, .stalled])
    func cancelled(answer: FakeApple.Answer) async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, answer)
            let call = Task { try await redeem(client) }
            await apple.waitForRequests(1)
            call.cancel()
            await #expect(throws: AppleError.cancelled) { try await call.value }
        }
    }

    @Test("after a failure the next call succeeds")
    func recovers() async throws {
        // Only the silent response must outlast it. The other responses must not, even on a very busy machine.
        try await FakeApple.run({ $0.timeout = .seconds(5) }) { apple, client in
            for failing in [FakeApple.Answer.html(500), .cutOff, .silent] {
                apple.answer(path, failing)
                await #expect(throws: AppleError.self) { try await redeem(client) }
                apple.answer(path, .json(answer))
                let tokens = try await redeem(client)
                #expect(tokens.idToken == "it")
            }
        }
    }

    // MARK: Printing

    @Test("tokens and credentials never print")
    func neverPrints() async throws {
        let credentials = AppleClientCredentials.make()
        try await FakeApple.run { apple, client in
            apple.answer(path, .json(#"{"access_token":"5ecret-1","refresh_token":"5ecret-2","id_token":"5ecret-3","expires_in":1}"#))
            let tokens = try await redeem(client, with: credentials)
            var text = "\(tokens) \(String(reflecting: tokens)) \(credentials) \(ApplePrivateKey(P256.Signing.PrivateKey()))"
            dump(tokens, to: &text)
            dump(credentials, to: &text)
            #expect(!text.contains("5ecret"))
            #expect(!text.contains(credentials.keyID))
        }
    }
}
