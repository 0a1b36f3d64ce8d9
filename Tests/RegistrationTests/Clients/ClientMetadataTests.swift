import Foundation
import TestSupport
import Testing

@Suite("Client metadata")
struct ClientMetadataTests {
    @Test("a name contains no character that is invisible or changes its surroundings")
    func names() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            for scalar in [
                "\u{202E}", "\u{200B}", "\u{2066}", "\u{2028}", "\u{2029}", "\u{E000}", "\u{FFFFE}", "\u{AD}", "\u{3164}", "\u{2800}",
            ] {
                let answer = try await registrant.register(Registrant.web.merging(["client_name": "Shop\(scalar)"]) { $1 })
                #expect(answer.refuses("invalid_client_metadata", naming: "client_name"), "\(answer.body)")
            }
            let blank = try await registrant.register(Registrant.web.merging(["client_name": " \u{3000}"]) { $1 })
            #expect(blank.refuses("invalid_client_metadata", naming: "client_name"), "\(blank.body)")
            #expect(try await registrant.client(Registrant.web.merging(["client_name": "Läden 店 e\u{301}"]) { $1 }).secret != nil)
        }
    }

    @Test("unknown members and unusable keys of a jwks are left out, and a private key is refused")
    func keySet() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let set = try ClientKey.set(ClientKey())
            let keys = try #require(set["keys"] as? [[String: any Sendable]])
            let encryption: [String: any Sendable] = ["kty": "RSA", "use": "enc", "n": "AQAB", "e": "AQAB"]
            func register(_ keys: [[String: any Sendable]]) async throws -> TestBrowser.Answer {
                let jwks: [String: any Sendable] = ["keys": keys, "unknown": 1]
                return try await registrant.register(
                    Registrant.web.merging(["token_endpoint_auth_method": "private_key_jwt", "jwks": jwks]) { $1 })
            }
            let answer = try await register([encryption, keys[0].merging(["unknown": "x"]) { $1 }])
            #expect(answer.status == 201, "\(answer.body)")
            let stored = (answer.json["jwks"] as? [String: any Sendable])?["keys"] as? [[String: any Sendable]]
            #expect(stored?.count == 1 && stored?[0]["unknown"] == nil && stored?[0]["kty"] as? String == "EC", "\(answer.body)")
            #expect(try await register([encryption]).refuses("invalid_client_metadata", naming: "jwks"))
            let secret: [String: any Sendable] = ["kty": "oct", "k": "c2VjcmV0"]
            #expect(try await register([keys[0], secret]).refuses("invalid_client_metadata", naming: "jwks.keys[1].k"))
        }
    }
}
