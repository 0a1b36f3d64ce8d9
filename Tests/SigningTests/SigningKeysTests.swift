import Access
import Crypto
import Encoding
import Foundation
import JWTKit
import NIOHTTP1
import Server
@testable import Signing
import Tenancy
import TestSupport
import Testing

/// A token is verified with the algorithm of the key that it names, regardless of its own header (RFC 8725, sections 2.1 and 3.1).
@Suite("Signing keys")
struct SigningKeysTests {
    /// A platform whose Acme has a key of each algorithm, and the parts of a valid access token.
    private struct Stage {
        let browser: TestBrowser
        let acme: SeedResult.TenantResult
        let claims: String
        let keys: [String: SigningKey]

        init(_ platform: TestPlatform) async throws {
            (browser, acme) = (TestBrowser(platform), platform.acme)
            let signing = SigningKeys(pool: platform.pool, keyring: platform.settings.keyring, now: { Date() })
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            keys = [
                "ES256": try await signing.current(.ES256, of: tenant), "RS256": try await signing.current(.RS256, of: tenant),
            ]
            let token = try await browser.tokens(.init(platform.acme))["access_token"] as? String
            claims = String(try #require(token?.split(separator: ".")[1]))
        }

        /// Whether a token returns a user's claims.
        func isTaken(_ token: String) async throws -> Bool {
            let answer = try await browser.userInfo(token, of: acme)
            #expect(answer.status == 200 || answer.isOAuthError(401, "invalid_token"), "\(answer.body)")
            return answer.status == 200
        }

        func input(alg: String?, kid: String?, typ: String = "at+jwt", more: [String: Any] = [:]) throws -> String {
            var header: [String: Any] = ["typ": typ].merging(more) { $1 }
            header["alg"] = alg
            header["kid"] = kid
            return "\([UInt8](try JSONSerialization.data(withJSONObject: header)).base64URL).\(claims)"
        }

        /// A signature of any input by the tenant's own key. No attacker can make one, so only the header can be invalid.
        func signature(_ input: String, by algorithm: String) throws -> String {
            try #require(keys[algorithm]).signature(of: input)
        }
    }

    @Test("a process does not verify the signatures of the tokens that it signed, and other processes do")
    func ownTokens() async throws {
        try await TestPlatform.run { platform in
            let processes = (1...2).map { _ in SigningKeys(pool: platform.pool, keyring: platform.settings.keyring, now: { Date() }) }
            let tenant = try #require(ID<Tenant>(platform.acme.id))
            let key = try await processes[0].current(.ES256, of: tenant)
            let token = try processes[0].sign(Array(#"{"sub":"x"}"#.utf8), type: "at+jwt", with: key)
            #expect(processes.map(\.verified.count) == [1, 0])
            // Nobody has such a token. It shows that the memory decides.
            let unsigned = token.prefix(through: try #require(token.lastIndex(of: "."))) + String(repeating: "A", count: 86)
            processes[0].verified.insert(String(unsigned))
            for (process, accepted) in zip(processes, [[token, String(unsigned)], [token]]) {
                let keys = try await process.keys(of: tenant)
                for each in [token, String(unsigned)] {
                    #expect((keys.claims(of: each, type: "at+jwt", upTo: 4096) != nil) == accepted.has(each))
                    #expect(keys.claims(of: each, type: "JWT", upTo: 4096) == nil)
                }
            }
            #expect(processes.map(\.verified.count) == [2, 1])
        }
    }

    @Test("the header of a token has the algorithm, the key and the type, and nothing else")
    func header() async throws {
        try await TestPlatform.run { platform in
            for (algorithm, key) in try await Stage(platform).keys {
                let parts = try key.sign(Array(#"{"sub":"x"}"#.utf8), type: "at+jwt").split(separator: ".").map(String.init)
                #expect(
                    [UInt8](base64URL: parts[0]).map { String(decoding: $0, as: UTF8.self) }
                        == #"{"alg":"\#(algorithm)","kid":"\#(key.id)","typ":"at+jwt"}"#)
                #expect([UInt8](base64URL: parts[1]).map { String(decoding: $0, as: UTF8.self) } == #"{"sub":"x"}"#)
            }
        }
    }

    @Test("a valid signature with a header that names the key's own algorithm is accepted, for both algorithms")
    func taken() async throws {
        try await TestPlatform.run { platform in
            let stage = try await Stage(platform)
            for (algorithm, key) in stage.keys {
                let input = try stage.input(alg: algorithm, kid: key.keyID)
                #expect(try await stage.isTaken("\(input).\(try stage.signature(input, by: algorithm))"), "\(algorithm)")
            }
        }
    }

    @Test("a remembered token makes no other token valid", arguments: ["ES256", "RS256"])
    func remembered(algorithm: String) async throws {
        try await TestPlatform.run { platform in
            let stage = try await Stage(platform)
            let input = try stage.input(alg: algorithm, kid: try #require(stage.keys[algorithm]).keyID)
            let signature = try stage.signature(input, by: algorithm)
            for _ in 0..<2 { #expect(try await stage.isTaken("\(input).\(signature)")) }
            // The first character has no unused bits.
            let other = (signature.hasPrefix("A") ? "B" : "A") + signature.dropFirst()
            #expect(try await !stage.isTaken("\(input).\(other)"))
            #expect(try await !stage.isTaken("\(input)."))
            let otherInput = try stage.input(alg: algorithm, kid: stage.keys[algorithm]?.keyID, more: ["x": 1])
            #expect(try await !stage.isTaken("\(otherInput).\(signature)"))
        }
    }

    @Test("a valid signature with a header that names another algorithm, another key or none is refused")
    func otherHeader() async throws {
        try await TestPlatform.run { platform in
            let stage = try await Stage(platform)
            for (algorithm, key) in stage.keys {
                let other = algorithm == "ES256" ? "RS256" : "ES256"
                for (alg, kid) in [
                    (other, key.keyID), ("none", key.keyID), ("HS256", key.keyID), ("PS256", key.keyID), ("ES384", key.keyID),
                    (algorithm.lowercased(), key.keyID), (nil, key.keyID), (algorithm, stage.keys[other]!.keyID), (algorithm, "key_x"),
                    (algorithm, ""), (algorithm, nil), (other, stage.keys[other]!.keyID),
                ] {
                    let input = try stage.input(alg: alg, kid: kid)
                    let token = "\(input).\(try stage.signature(input, by: algorithm))"
                    #expect(try await !stage.isTaken(token), "signed by \(algorithm), says \(alg ?? "nothing") and \(kid ?? "no key")")
                }
                for more in [["crit": ["exp"]], ["crit": []]] as [[String: Any]] {
                    let input = try stage.input(alg: algorithm, kid: key.keyID, more: more)
                    #expect(try await !stage.isTaken("\(input).\(try stage.signature(input, by: algorithm))"))
                }
                for typ in ["JWT", "at+JWT", ""] {
                    let input = try stage.input(alg: algorithm, kid: key.keyID, typ: typ)
                    #expect(try await !stage.isTaken("\(input).\(try stage.signature(input, by: algorithm))"))
                }
            }
        }
    }

    @Test("the public key signs nothing: it is not accepted as an HMAC secret in any of its forms")
    func publicKeyAsSecret() async throws {
        try await TestPlatform.run { platform in
            let stage = try await Stage(platform)
            let jwk = try #require(stage.keys["RS256"]?.jwk)
            let key = try JWTKit.Insecure.RSA.PublicKey(modulus: try #require(jwk.n), exponent: try #require(jwk.e))
            let forms = [
                Data(key.pemRepresentation.utf8), Data((key.pemRepresentation + "\n").utf8), key.derRepresentation,
                Data([UInt8](base64URL: try #require(jwk.n)) ?? []), Data(try #require(jwk.n).utf8), Data(),
            ]
            for alg in ["HS256", "RS256", "ES256", "none"] {
                let input = try stage.input(alg: alg, kid: jwk.kid)
                for form in forms {
                    let mac = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: form))
                    #expect(try await !stage.isTaken("\(input).\(Array(mac).base64URL)"), "\(alg)")
                }
                for signature in ["", "AA"] { #expect(try await !stage.isTaken("\(input).\(signature)"), "\(alg)") }
            }
        }
    }
}
