import AppleSimulator
import Crypto
import Foundation
import JWTKit
import Testing

@Suite("Client secret")
struct ClientSecretTests {
    /// One mistake in an otherwise valid secret, and the reason of its refusal.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let reason: String
        let secret: @Sendable (Website) async throws -> String

        init(_ description: String, _ reason: String, _ secret: @escaping @Sendable (Website) async throws -> String) {
            (testDescription, self.reason, self.secret) = (description, reason, secret)
        }

        init(_ description: String, _ reason: String, claim: String, _ value: @escaping @Sendable (Int) -> JWTHeaderField?) {
            self.init(description, reason) { website in
                var claims = website.secretClaims()
                claims[claim] = value(Int(Date().timeIntervalSince1970))
                return try await website.secret(claims)
            }
        }
    }

    static let mistakes: [Mistake] = [
        Mistake("another team", "iss", claim: "iss") { _ in "TEAM000002" },
        Mistake("no team", "iss", claim: "iss") { _ in nil },
        Mistake("another client", "sub", claim: "sub") { _ in .string(Website.bundleID) },
        Mistake("another audience", "aud", claim: "aud") { _ in "https://appleid.apple.com/" },
        Mistake("a list of audiences", "aud", claim: "aud") { _ in ["https://appleid.apple.com"] },
        Mistake("issued in the future", "iat", claim: "iat") { now in .int(now + 60) },
        Mistake("no time of issue", "iat", claim: "iat") { _ in nil },
        Mistake("a time of issue that is a string", "iat", claim: "iat") { now in .string("\(now - 60)") },
        Mistake("a time of issue that overflows", "iat", claim: "iat") { _ in .int(.min) },
        Mistake("expired", "exp", claim: "exp") { now in .int(now - 1) },
        Mistake("no expiry", "exp", claim: "exp") { _ in nil },
        Mistake("too long-lived", "15777000", claim: "exp") { now in .int(now - 60 + 15_777_010) },
        Mistake("no key id", "no kid") { website in try await website.secret(header: [:]) },
        Mistake("an unknown key id", "not a key of this team") { website in try await website.secret(header: ["kid": "NOSUCHKEY0"]) },
        Mistake("another key's signature", "signature") { website in try await website.secret(key: ES256PrivateKey()) },
        Mistake("another team's key", "not a key of this team") { website in
            try await expectSuccess(website.send("PUT", "/simulator/teams/TEAM000002", json: "{}"))
            let other = try await website.send("POST", "/simulator/keys", json: #"{"team": "TEAM000002"}"#)
            let key = try ES256PrivateKey(pem: try #require(other["private_key"] as? String))
            return try await website.secret(header: ["kid": .string(try #require(other["id"] as? String))], key: key)
        },
        Mistake("a revoked key", "revoked") { website in
            let secret = try await website.secret()
            try await expectSuccess(website.send("DELETE", "/simulator/keys/\(website.keyID)"))
            return secret
        },
        Mistake("HS256", "ES256") { website in
            try await JWTKeyCollection().add(hmac: "a secret of thirty-two bytes and more", digestAlgorithm: .sha256)
                .sign(website.secretClaims(), header: ["kid": .string(website.keyID)])
        },
        Mistake("a DER signature", "raw r and s") { website in
            let parts = try await website.secret().split(separator: ".")
            let input = "\(parts[0]).\(parts[1])"
            let key = try P256.Signing.PrivateKey(pemRepresentation: website.key.pemRepresentation)
            let signature = try key.signature(for: Data(input.utf8)).derRepresentation.base64EncodedString()
            return "\(input)."
                + signature.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
        },
        Mistake("padding", "not a JWT") { website in try await website.secret() + "=" },
        Mistake("no JWT", "not a JWT") { _ in "secret" },
    ]

    @Test("a secret with one mistake is invalid_client", arguments: mistakes)
    func mistake(_ mistake: Mistake) async throws {
        try await withSimulator { website in
            let code = try await website.code()
            let answer = try await website.redeem(code, ["client_secret": mistake.secret(website)])
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_client")
            #expect(answer.reason?.contains(mistake.reason) == true, "\(answer.reason ?? "no reason")")
        }
    }

    @Test("a secret with a lifetime of exactly 15,777,000 seconds is accepted")
    func longestLife() async throws {
        try await withSimulator { website in
            var claims = website.secretClaims()
            claims["exp"] = .int(Int(Date().timeIntervalSince1970) - 60 + 15_777_000)
            let answer = try await website.redeem(website.code(), ["client_secret": website.secret(claims)])
            #expect(answer.status == 200)
        }
    }

    @Test("a clock may be 5 seconds fast, but not 6")
    func fastClock() async throws {
        let clock = TestClock()
        try await withSimulator(AppleSimulator.Configuration(clock: { clock.now })) { website in
            for (ahead, status) in [(6, 400), (5, 200)] {
                var claims = website.secretClaims(at: clock.now)
                claims["iat"] = .int(Int(clock.now.timeIntervalSince1970) + ahead)
                let answer = try await website.redeem(website.code(), ["client_secret": website.secret(claims)])
                #expect(answer.status == status)
            }
        }
    }

    @Test("an unknown client is invalid_client")
    func unknownClient() async throws {
        try await withSimulator { website in
            let secret = try await website.secret(website.secretClaims(clientID: "com.example.other"))
            let answer = try await website.redeem("made-up", ["client_id": "com.example.other", "client_secret": secret])
            #expect(answer.status == 400)
            #expect(answer.error == "invalid_client")
        }
    }

    @Test("the client is checked before the code, so an invented code distinguishes a valid secret from an invalid one")
    func clientBeforeCode() async throws {
        try await withSimulator { website in
            let answer = try await website.redeem("made-up")
            #expect(answer.error == "invalid_grant")
            #expect(
                try await website.redeem("made-up", ["client_secret": website.secret(key: ES256PrivateKey())]).error == "invalid_client")
        }
    }

    @Test("aud follows the configured issuer")
    func configuredIssuer() async throws {
        try await withSimulator(AppleSimulator.Configuration(issuer: "https://account.apple.com")) { website in
            let code = try await website.code()
            #expect(try await website.redeem(code).error == "invalid_client")
            var claims = website.secretClaims()
            claims["aud"] = "https://account.apple.com"
            let answer = try await website.redeem(code, ["client_secret": website.secret(claims)])
            #expect(try await website.verified(answer["id_token"])["iss"] == "https://account.apple.com")
        }
    }
}
