import Apple
import Testing

@Suite("Apple's revoke endpoint")
struct RevokeTests {
    private let path = "/auth/revoke"

    @Test("a token is revoked with exactly the required fields", arguments: [AppleClient.TokenHint.refreshToken, .accessToken])
    func revokes(hint: AppleClient.TokenHint) async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .empty)
            try await client.revoke(token: "r.t&1", hint: hint, credentials: .make(), at: Claims.now)
            var form = try #require(apple.requests(path).first).form
            #expect(form.removeValue(forKey: "client_secret") != nil)
            #expect(form == ["token": "r.t&1", "token_type_hint": hint.rawValue, "client_id": Claims.audience])
        }
    }

    @Test("a refusal and an outage are distinguished")
    func fails() async throws {
        try await FakeApple.run { apple, client in
            apple.answer(path, .json(#"{"error":"invalid_client"}"#, status: 400))
            await #expect(throws: AppleError.refused(.invalidClient)) {
                try await client.revoke(token: "rt", credentials: .make(), at: Claims.now)
            }
            apple.answer(path, .html(503))
            await #expect(throws: AppleError.unavailable(status: 503)) {
                try await client.revoke(token: "rt", credentials: .make(), at: Claims.now)
            }
        }
    }
}
