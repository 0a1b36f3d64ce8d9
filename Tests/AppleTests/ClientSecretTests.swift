import Apple
import Crypto
import Foundation
import Testing

@Suite("Client secret")
struct ClientSecretTests {
    /// A client secret, parsed with Foundation only.
    private struct Decoded {
        let header: [String: Any]
        let claims: [String: Any]
        let signed: Data
        let signature: Data

        init(_ secret: String) throws {
            let parts = secret.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            try #require(parts.count == 3)
            func bytes(_ part: String) throws -> Data {
                let base64 = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
                return try #require(Data(base64Encoded: base64.padding(toLength: (base64.count + 3) / 4 * 4, withPad: "=", startingAt: 0)))
            }
            func object(_ part: String) throws -> [String: Any] {
                try #require(try JSONSerialization.jsonObject(with: bytes(part)) as? [String: Any])
            }
            (header, claims) = (try object(parts[0]), try object(parts[1]))
            signed = Data("\(parts[0]).\(parts[1])".utf8)
            signature = try bytes(parts[2])
        }
    }

    @Test("every field is as Apple requires, and the key's signature is raw r‖s")
    func fields() async throws {
        let key = P256.Signing.PrivateKey()
        let credentials = AppleClientCredentials.make(team: "TEAM123456", client: "com.example.web", keyID: "KEY7654321", key: key)
        // A fraction of a second must not become a fractional claim.
        let now = Claims.now + 0.75
        let secret = try Decoded(await ClientSecret.mint(for: credentials, audience: "https://appleid.apple.com", at: now))
        #expect(secret.header["alg"] as? String == "ES256")
        #expect(secret.header["kid"] as? String == "KEY7654321")
        #expect(Set(secret.header.keys).isSubset(of: ["alg", "kid", "typ"]))
        #expect(secret.claims["iss"] as? String == "TEAM123456")
        #expect(secret.claims["sub"] as? String == "com.example.web")
        #expect(secret.claims["aud"] as? String == "https://appleid.apple.com")
        #expect(secret.claims["iat"] as? Int == 1_799_999_940)
        #expect(secret.claims["exp"] as? Int == 1_800_000_300)
        #expect(secret.claims.count == 5)
        #expect(secret.signature.count == 64)
        #expect(key.publicKey.isValidSignature(try P256.Signing.ECDSASignature(rawRepresentation: secret.signature), for: secret.signed))
    }

    @Test("the caller sets the lifetime, within Apple's six months")
    func lifetime() async throws {
        let secret = try Decoded(await ClientSecret.mint(for: .make(), audience: "a", at: Claims.now, lifetime: 60))
        #expect(secret.claims["exp"] as? Int == 1_800_000_060)
    }

    // MARK: Reuse

    /// Returns the secrets that a client sends for these credentials at these times.
    private func sent(_ calls: [(AppleClientCredentials, Date)]) async throws -> [String] {
        let secrets = try await FakeApple.run({ $0.audience = "https://apple.test" }) { apple, client in
            apple.answer("/auth/revoke", .empty)
            for (credentials, now) in calls {
                try await client.revoke(token: "rt", credentials: credentials, at: now)
            }
            return apple.requests("/auth/revoke").compactMap { $0.form["client_secret"] }
        }
        try #require(secrets.count == calls.count)
        return secrets
    }

    @Test("one secret serves all calls for most of its lifetime, and no longer")
    func reuse() async throws {
        let credentials = AppleClientCredentials.make()
        let secrets = try await sent([0, 1, 239.9, 240, 241].map { (credentials, Claims.now + $0) })
        #expect(secrets[1] == secrets[0])
        #expect(secrets[2] == secrets[0])
        #expect(secrets[3] != secrets[0])
        #expect(secrets[4] == secrets[3])
        #expect(try Decoded(secrets[3]).claims["iat"] as? Int == 1_800_000_180)
        #expect(try Decoded(secrets[0]).claims["aud"] as? String == "https://apple.test")
    }

    @Test("a secret from a clock that was ahead is not used after the clock is corrected")
    func clockSetBack() async throws {
        let credentials = AppleClientCredentials.make()
        let secrets = try await sent([(credentials, Claims.now + 3600), (credentials, Claims.now)])
        #expect(secrets[0] != secrets[1])
    }

    @Test("another team, client, Key ID or key never receives the first one's secret")
    func neverShared() async throws {
        let key = P256.Signing.PrivateKey()
        let all = [
            AppleClientCredentials.make(key: key), .make(team: "TEAM000000", key: key), .make(client: "com.example.app", key: key),
            .make(keyID: "KEY0000000", key: key), .make(),
        ]
        let secrets = try await sent(all.map { ($0, Claims.now) })
        #expect(Set(secrets).count == all.count)
        for (credentials, secret) in zip(all, secrets) {
            let decoded = try Decoded(secret)
            #expect(decoded.claims["iss"] as? String == credentials.teamID)
            #expect(decoded.claims["sub"] as? String == credentials.clientID)
            #expect(decoded.header["kid"] as? String == credentials.keyID)
        }
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: try Decoded(secrets[4]).signature)
        #expect(!key.publicKey.isValidSignature(signature, for: try Decoded(secrets[4]).signed))
    }
}
