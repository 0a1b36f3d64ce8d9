import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu exchange")
struct MushuExchangeTests {
    @Test("an id_token without a nonce gives an access token, and is billed once")
    func exchange() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let client = try await MushuClient.make(platform, [:])
            let credential = try await phone.authorize("Ada Lovelace", nonce: nil)
            let body: [String: any Sendable] = ["identity_token": credential.idToken, "given_name": "Ada", "family_name": NSNull()]
            let answer = try await client.post("auth/apple/exchange", body)
            #expect(answer.status == 200, "\(answer.body)")
            #expect(Set(answer.json.keys) == ["jwt", "user_id", "app_id"])
            #expect(answer.string("app_id") == client.application.client_id)
            #expect(answer.string("user_id") == (try claims(of: answer.string("jwt")))["sub"] as? String)
            let user = try await client.get("users/me", answer.string("jwt"))
            #expect(user.string("name") == "Ada")
            #expect(try await platform.countBilled() == 1)
            #expect(try await client.post("auth/apple/exchange", body).isRefusal(401))
        }
    }

    @Test("an id_token with a nonce needs this nonce, and the token is required")
    func nonce() async throws {
        try await TestPlatform.run { platform in
            let phone = try await Phone.make(platform)
            let client = try await MushuClient.make(platform, [:])
            let credential = try await phone.authorize()
            let without = try await client.post("auth/apple/exchange", ["identity_token": credential.idToken])
            #expect(without.invalidParts == ["body: value_error"], "\(without.body)")
            #expect(without.body.contains("nonce"))
            let with = try await client.post(
                "auth/apple/exchange", ["identity_token": credential.idToken, "nonce": credential.nonce ?? ""])
            #expect(with.status == 200, "\(with.body)")
            #expect(try await client.post("auth/apple/exchange", [:]).invalidParts == ["body.identity_token: missing"])
        }
    }
}
