import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit validate API key")
struct AuthKitValidateAPIKeyTests {
    @Test("a valid key of the tenant is shown without its secret; every other text gets null")
    func validated() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let issued = try await platform.issue("Shown", scopes: ["users:read"])
            let secret = try #require(issued.string("secret"))
            func validate(_ value: String) async throws -> TestBrowser.Answer {
                try await client.call("POST", "/api_keys/validations", ["value": value])
            }
            let answer = try await validate(secret)
            let key = try #require(answer.json["api_key"] as? [String: any Sendable], "\(answer.body)")
            #expect(key["id"] as? String == "api_key_" + issued.resourceID.dropFirst("apikey_".count))
            #expect(key["permissions"] as? [String] == ["users:read"])
            #expect((key["owner"] as? [String: String]) == ["type": "organization", "id": client.organization])
            #expect(key["obfuscated_value"] as? String == "esk_…\(secret.suffix(4))")
            #expect(!answer.body.contains(secret))
            for other in ["x", platform.globex.api_keys[0].secret, platform.operatorKey, secret.dropLast() + "_"] {
                let none = try await validate(String(other))
                #expect(none.status == 200)
                #expect(none.body == #"{"api_key":null}"#, "\(none.body)")
            }
            _ = try await client.call("DELETE", "/api_keys/\(issued.resourceID)")
            #expect(try await validate(secret).body == #"{"api_key":null}"#)
            #expect(try await client.call("POST", "/api_keys/validations", [:]).isError(422, "invalid_request_parameters"))
        }
    }

    /// An application validates a key per request of its own customers, and WorkOS's libraries send a new `Idempotency-Key` each time.
    @Test("validations are not changes of the tenant, and their idempotency keys take no rows")
    func reads() async throws {
        try await TestPlatform.run {
            $0.apiChangesPerMinute = 1
        } _: { platform in
            let client = AuthKitClient(platform)
            let key = platform.acme.api_keys[0].secret
            for number in 0..<5 {
                let answer = try await client.browser.send(
                    "POST", "\(TestPlatform.publicURL)/api_keys/validations",
                    headers: [
                        ("Authorization", "Bearer \(key)"), ("Content-Type", "application/json"), ("Idempotency-Key", "call-\(number)"),
                    ], body: #"{"value": "\#(key)"}"#)
                #expect(answer.status == 200 && answer.json["api_key"] is [String: any Sendable], "\(answer.body)")
                #expect(answer.header("X-Request-ID")?.isEmpty == false)
            }
            #expect(try await platform.count("idempotency_key") == 0)
            // The only change of this minute is left.
            #expect(try await client.call("DELETE", "/api_keys/\(platform.acme.api_keys[1].id)").status == 204)
            #expect(try await client.call("POST", "/api_keys/validations", key: "esk_live_x", ["value": key]).isError(401, "unauthorized"))
        }
    }
}
