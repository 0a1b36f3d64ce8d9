@testable import ClientKeys
import Crypto
import CryptoExtras
import Encoding
import Foundation
import TestSupport
import Testing

/// The keys that an application can register (RFC 7517, RFC 7518).
@Suite("Public key")
struct PublicKeyTests {
    /// A JWK with members changed, added or removed.
    private static func value(_ jwk: [String: any Sendable], _ changes: [String: (any Sendable)?] = [:]) throws -> JSONValue {
        let members = jwk.mapValues { Optional($0) }.merging(changes) { $1 }.compactMapValues(\.self)
        return try JSONValue(json: Array(try JSONSerialization.data(withJSONObject: members)))
    }

    private static func refused(_ jwk: [String: any Sendable], _ changes: [String: (any Sendable)?]) throws -> String? {
        do { _ = try PublicKey(try value(jwk, changes)) } catch let refusal as PublicKey.Refusal { return refusal.member ?? "the key" }
        return nil
    }

    @Test("keys on P-256 and RSA keys are read, and unknown members are left out")
    func read() throws {
        for algorithm in ["ES256", "RS256"] {
            let jwk = try ClientKey("k", algorithm).jwk
            let key = try PublicKey(
                try Self.value(jwk, ["x5c": ["x"], "iat": 1, "key_ops": ["verify"], "alg": algorithm, "ext": true]))
            #expect(key.keyID == "k")
            let shown = try #require(
                try JSONSerialization.jsonObject(with: JSONEncoder().encode(key)) as? [String: any Sendable])
            #expect(Set(shown.keys) == Set(jwk.keys).union(["alg"]))
            #expect(try PublicKey(try Self.value(shown)) == key)
            #expect(try PublicKey(try Self.value(jwk, ["kid": nil, "use": nil])).keyID == nil)
            #expect(try PublicKey(try Self.value(jwk)) != key)
        }
    }

    @Test("private and symmetric members are refused by name")
    func secrets() throws {
        for member in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
            for algorithm in ["ES256", "RS256"] {
                #expect(try Self.refused(ClientKey("k", algorithm).jwk, [member: "AQAB"]) == member)
            }
        }
        #expect(try Self.refused(["kty": "oct"], ["k": "c2VjcmV0"]) == "k")
    }

    @Test("every invalid member is refused with its name")
    func mistakes() throws {
        let (curve, rsa) = (try ClientKey("k").jwk, try ClientKey("k", "RS256").jwk)
        let small = try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: 1024)).publicKey.getKeyPrimitives()
        for (jwk, changes, member) in [
            (curve, ["kty": nil], "kty"), (curve, ["kty": "OKP"], "kty"), (curve, ["kty": "ec"], "kty"), (curve, ["kty": 1], "kty"),
            (["kty": "oct"], [:], "kty"), (curve, ["crv": "P-384"], "crv"), (curve, ["crv": nil], "crv"), (curve, ["x": nil], "x"),
            (curve, ["x": "AQAB"], "x"), (curve, ["x": "+/=="], "x"), (curve, ["y": curve["x"]!], "x"), (curve, ["y": 1], "y"),
            (curve, ["use": "enc"], "use"), (curve, ["key_ops": ["sign"]], "key_ops"), (curve, ["key_ops": "verify"], "key_ops"),
            (curve, ["alg": "RS256"], "alg"), (curve, ["alg": "none"], "alg"), (curve, ["alg": "HS256"], "alg"),
            (curve, ["alg": "ES384"], "alg"),
            (rsa, ["alg": "ES256"], "alg"), (rsa, ["alg": "RS512"], "alg"), (rsa, ["e": "Aw"], "e"), (rsa, ["e": nil], "e"),
            (rsa, ["n": nil], "n"), (rsa, ["n": Array(small.modulus).base64URL], "n"),
            (rsa, ["n": [UInt8](repeating: 0xFF, count: 513).base64URL], "n"),
            (rsa, ["n": ([0] + [UInt8](repeating: 0xFF, count: 256)).base64URL], "n"),
            (curve, ["kid": ""], "kid"), (curve, ["kid": "a\u{0}b"], "kid"), (curve, ["kid": String(repeating: "a", count: 256)], "kid"),
            (curve, ["kid": 7], "kid"),
        ] as [([String: any Sendable], [String: (any Sendable)?], String)] {
            #expect(try Self.refused(jwk, changes) == member, "\(changes)")
        }
        #expect(throws: PublicKey.Refusal.self) { try PublicKey(.string("x")) }
    }

    @Test("a key verifies only with its own algorithms")
    func algorithms() throws {
        let signed = Array("header.claims".utf8)[...]
        let (p256, rsa) = (P256.Signing.PrivateKey(), try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let point = Array(p256.publicKey.x963Representation)
        let numbers = try rsa.publicKey.getKeyPrimitives()
        let curveJWK: [String: any Sendable] = [
            "kty": "EC", "crv": "P-256", "x": Array(point[1...32]).base64URL, "y": Array(point[33...]).base64URL,
        ]
        let rsaJWK: [String: any Sendable] = ["kty": "RSA", "n": Array(numbers.modulus).base64URL, "e": "AQAB"]
        let signatures = [
            "ES256": Array(try p256.signature(for: signed).rawRepresentation),
            "RS256": Array(try rsa.signature(for: signed, padding: .insecurePKCS1v1_5).rawRepresentation),
            "PS256": Array(try rsa.signature(for: signed, padding: .PSS).rawRepresentation),
        ]
        for (jwk, own) in [(curveJWK, ["ES256"]), (rsaJWK, ["RS256", "PS256"])] {
            let key = try PublicKey(try Self.value(jwk))
            for (made, signature) in signatures {
                for claimed in ["ES256", "RS256", "PS256", "HS256", "none", "es256", "", "RS512"] {
                    #expect(
                        key.verifies(signature, of: signed, by: claimed) == (made == claimed && own.contains(made)), "\(made) as \(claimed)"
                    )
                }
                #expect(!key.verifies(Array(signature.dropLast()), of: signed, by: made))
                #expect(!key.verifies([], of: signed, by: made))
                #expect(!key.verifies(signature, of: signed.dropLast(), by: made))
            }
        }
        let bound = try PublicKey(try Self.value(rsaJWK, ["alg": "PS256"]))
        #expect(bound.verifies(signatures["PS256"]!, of: signed, by: "PS256"))
        #expect(!bound.verifies(signatures["RS256"]!, of: signed, by: "RS256"))
    }

    @Test("a registered set names its invalid part, and a published set leaves unusable keys out")
    func sets() throws {
        let (one, two) = (try ClientKey("1"), try ClientKey("2"))
        func refused(_ text: String) throws -> String? {
            do { _ = try PublicKeySet(try JSONValue(json: Array(text.utf8))) } catch let refusal as PublicKeySet.Refusal {
                return refusal.path ?? "the set"
            }
            return nil
        }
        #expect(try refused(ClientKey.document(one, two)) == nil)
        #expect(try refused(ClientKey.document(one, one)) == "keys[1].kid")
        for (text, path) in [
            ("[]", "the set"), ("{}", "the set"), (#"{"keys":{}}"#, "the set"), (#"{"keys":[]}"#, "keys"), (#"{"keys":["x"]}"#, "keys[0]"),
            (#"{"keys":[{"kty":"RSA","d":"x"}]}"#, "keys[0].d"), (#"{"keys":[],"x":1}"#, "x"),
        ] {
            #expect(try refused(text) == path)
        }
        #expect(try refused(ClientKey.document(one).replacing(#""use""#, with: #""usage":1,"use""#)) == "keys[0].usage")
        #expect(try refused(#"{"keys":[\#([String](repeating: "{}", count: 11).joined(separator: ","))]}"#) == "keys")

        let published = try ClientKey.document(one, two).replacing(
            #"{"keys":["#, with: #"{"keys":[{"kty":"OKP"},{"kty":"EC","d":"x"},"x","#)
        let set = try #require(PublicKeySet(published: Array(published.utf8)))
        #expect(Set(set.keys.compactMap(\.keyID)) == ["1", "2"])
        #expect(set.candidates("1").count == 1 && set.candidates("3").isEmpty && set.candidates(nil).isEmpty)
        for text in ["", "x", "[]", "{}", #"{"keys":[]}"#, #"{"keys":[{"kty":"EC","d":"x"}]}"#] {
            #expect(PublicKeySet(published: Array(text.utf8)) == nil)
        }
    }
}
