import AppleSimulator
import Foundation
import JWTKit
import Testing

@Suite("Keys")
struct KeysTests {
    private func keyIDs(_ website: Website) async throws -> [String] {
        let keys = try #require(try await website.send("GET", "/auth/keys")["keys"] as? [[String: String]])
        #expect(keys.allSatisfy { $0["kty"] == "RSA" && $0["alg"] == "RS256" && $0["use"] == "sig" && $0["e"] == "AQAB" })
        return keys.compactMap { $0["kid"] }
    }

    private func keyID(of token: Any?) throws -> String? {
        let parsed = try DefaultJWTParser().parse(Array(try #require(token as? String).utf8), as: Claims.self)
        #expect(parsed.header.alg == "RS256")
        return parsed.header.kid
    }

    @Test("several RSA keys are published, and the kid of a token is one of them")
    func published() async throws {
        try await withSimulator { website in
            let ids = try await keyIDs(website)
            #expect(Set(ids).count == 3)
            let token = try await website.redeem(website.code())["id_token"]
            #expect(ids.contains(try #require(try keyID(of: token))))
        }
    }

    @Test("after a rotation, a key signs that was not published before, and an earlier token still verifies")
    func rotation() async throws {
        try await withSimulator { website in
            let before = try await keyIDs(website)
            let early = try await website.redeem(website.code())["id_token"]
            expectSuccess(try await website.send("POST", "/simulator/signing-keys/rotate"))
            let after = try await keyIDs(website)
            #expect(after.count == 3)
            #expect(Set(after).subtracting(before).count == 1)
            let late = try await website.redeem(website.code())["id_token"]
            let kid = try #require(try keyID(of: late))
            #expect(!before.contains(kid))
            #expect(after.contains(kid))
            _ = try await website.verified(early)
            _ = try await website.verified(late)
        }
    }

    @Test("two concurrent rotations rotate twice")
    func racingRotations() async throws {
        try await withSimulator { website in
            let before = try await keyIDs(website)
            async let first = website.send("POST", "/simulator/signing-keys/rotate")
            async let second = website.send("POST", "/simulator/signing-keys/rotate")
            for answer in try await [first, second] { expectSuccess(answer) }
            #expect(try await Set(keyIDs(website)).subtracting(before).count == 2)
        }
    }

    @Test("discovery contains the URLs of the endpoints")
    func discovery() async throws {
        try await withSimulator { website in
            let document = try await website.send("GET", "/.well-known/openid-configuration")
            #expect(document["issuer"] as? String == "https://appleid.apple.com")
            #expect(document["token_endpoint"] as? String == "\(website.url)/auth/token")
            #expect(document["jwks_uri"] as? String == "\(website.url)/auth/keys")
        }
    }
}
