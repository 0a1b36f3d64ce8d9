@testable import ClientKeys
import Encoding
import Foundation
import TestSupport
import Testing

/// Each rule for a proof is broken alone (RFC 9449, section 4.3).
@Suite("DPoP proof")
struct DPoPProofTests {
    private static let uri = "https://login.test/t/acme/oauth2/token"

    private static func refusal(_ text: String, _ target: DPoPProof.Target? = nil) -> String {
        do {
            _ = try DPoPProof(text, for: target ?? .init(method: "POST", uri: uri)) { $0.isSame(as: "fresh") }
        } catch { return "\(error)" }
        return "accepted"
    }

    private static func refusal(header: [String: (any Sendable)?] = [:], _ changes: [String: (any Sendable)?]) throws -> String {
        refusal(try ClientKey().proof(uri, nonce: "fresh", header: header, changes))
    }

    @Test("each supported algorithm is accepted, and the thumbprint identifies its key", arguments: ["ES256", "RS256", "PS256"])
    func accepted(_ algorithm: String) throws {
        let key = try ClientKey(nil, algorithm)
        let text = try key.proof(Self.uri, nonce: "fresh")
        let proof = try DPoPProof(text, for: .init(method: "POST", uri: Self.uri)) { $0 == "fresh" }
        #expect(try proof.key.text == key.thumbprint)
        #expect(try proof.key != KeyThumbprint(ClientKey(nil, algorithm).thumbprint))
    }

    @Test("the thumbprint of RFC 7638 is the one in its section 3.1")
    func thumbprint() throws {
        let n = """
            0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs\
            tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbI\
            SD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw
            """
        let key = try PublicKey(
            .object(["kty": .string("RSA"), "n": .string(n), "e": .string("AQAB"), "alg": .string("RS256"), "kid": .string("2011-04-29")]))
        #expect(key.thumbprint.text == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    }

    @Test("other forms of the same URL, and any time of the caller, are accepted")
    func lenient() throws {
        for uri in [
            Self.uri + "?a=b", Self.uri + "#x", "HTTPS://LOGIN.test/t/acme/oauth2/token", "https://login.test:443/t/acme/oauth2/token",
        ] { #expect(try Self.refusal(["htu": uri]) == "accepted", "\(uri)") }
        for time in [0, -5, 4_000_000_000] { #expect(try Self.refusal(["iat": time]) == "accepted") }
        #expect(try Self.refusal(["iat": 1.5]) == "accepted")
        #expect(try Self.refusal(header: ["typ": "DPoP+JWT"], [:]) == "accepted")
    }

    @Test("every other form is refused for its reason")
    func refused() throws {
        for (changes, reason) in [
            (["htm": "GET"], "method"), (["htm": "post"], "method"), (["htm": nil], "method"), (["htm": "POST\u{0301}"], "method"),
            (["htu": nil], "uri"), (["htu": "https://login.test/t/globex/oauth2/token"], "uri"), (["htu": Self.uri + "/"], "uri"),
            (["htu": "http://login.test/t/acme/oauth2/token"], "uri"), (["htu": "https://login.test:444/t/acme/oauth2/token"], "uri"),
            (["htu": "https://login.test/T/acme/oauth2/token"], "uri"), (["htu": Self.uri + "\u{200D}"], "uri"),
            (["htu": "https:\u{0301}//login.test/t/acme/oauth2/token"], "uri"), (["htu": "https://login.test"], "uri"), (["htu": 1], "uri"),
            (["htu": "https://login.test:443\u{0600}/t/acme/oauth2/token"], "uri"), (["htu": ""], "uri"),
            (["jti": nil], "idMissing"), (["jti": ""], "idMissing"), (["jti": 5], "idMissing"),
            (["jti": String(repeating: "a", count: 513)], "idMissing"), (["iat": nil], "timeMissing"), (["iat": "1"], "timeMissing"),
            (["nonce": nil], "nonce"), (["nonce": "old"], "nonce"), (["nonce": 1], "nonce"), (["nonce": "fresh\u{0301}"], "nonce"),
        ] as [([String: (any Sendable)?], String)] { #expect(try Self.refusal(changes) == reason, "\(changes)") }
        for (header, reason) in [
            (["typ": nil], "type"), (["typ": "JWT"], "type"), (["typ": "dpop+jwt\u{200D}"], "type"), (["alg": "none"], "algorithm"),
            (["alg": "HS256"], "algorithm"), (["alg": "ES384"], "algorithm"), (["jwk": nil], "key(member: nil)"),
            (["jwk": "x"], "key(member: nil)"), (["alg": "RS256"], "signature"), (["jwk": try ClientKey().jwk], "signature"),
            (["jwk": try ClientKey().jwk.merging(["d": "AQAB"]) { $1 }], #"key(member: Optional("d"))"#), (["crit": ["b64"]], "malformed"),
        ] as [([String: (any Sendable)?], String)] { #expect(try Self.refusal(header: header, [:]) == reason, "\(header)") }
        for text in ["", "x", "a.b.c", String(repeating: "a", count: 5000)] { #expect(Self.refusal(text) == "malformed") }
        let proof = try ClientKey().proof(Self.uri, nonce: "fresh")
        #expect(Self.refusal(proof.dropLast(4) + "AAAA") == "signature")
    }

    @Test("with an access token, the proof must contain its hash")
    func token() throws {
        let target = DPoPProof.Target(method: "GET", uri: Self.uri, token: "token")
        func refusal(_ token: String?) throws -> String {
            Self.refusal(try ClientKey().proof(Self.uri, method: "GET", nonce: "fresh", token: token), target)
        }
        #expect(try refusal("token") == "accepted")
        #expect(try refusal("other") == "token")
        #expect(try refusal(nil) == "token")
    }
}
