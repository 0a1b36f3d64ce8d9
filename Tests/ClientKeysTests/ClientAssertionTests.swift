@testable import ClientKeys
import Encoding
import Foundation
import TestSupport
import Testing

/// Each rule for an assertion is broken alone (RFC 7523, section 3).
@Suite("Client assertion")
struct ClientAssertionTests {
    private static let client = "app_01jd8x3v6qf9wr2m5tzk7h4c0n"
    private static let audiences = ["https://login.test/t/acme", "https://login.test/t/acme/oauth2/token"]
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func refusal(_ text: String, at now: Date = now) -> ClientAssertion.Refusal? {
        do { _ = try ClientAssertion(text, of: client, for: audiences, at: now) } catch { return error }
        return nil
    }

    private static func refusal(
        header: [String: (any Sendable)?] = [:], _ changes: [String: (any Sendable)?]
    ) throws -> String {
        let text = try ClientKey().assertion(of: client, for: audiences[0], at: now, header: header, changes)
        return refusal(text).map { "\($0)" } ?? "accepted"
    }

    @Test("the permitted forms are accepted")
    func accepted() throws {
        let (audiences, seconds) = (Self.audiences, 1_800_000_000)
        for changes in [
            [:], ["aud": audiences[1]], ["aud": audiences], ["aud": [audiences[0]]], ["iat": nil], ["nbf": seconds + 60],
            ["iat": seconds + 60],
            ["exp": seconds + 3660], ["exp": seconds - 59], ["exp": Double(seconds) + 0.5], ["jti": String(repeating: "a", count: 512)],
            ["unknown": ["x": 1]],
        ] as [[String: (any Sendable)?]] {
            #expect(try Self.refusal(changes) == "accepted", "\(changes)")
        }
        for type in ["JWT", "jwt", "client-authentication+jwt"] { #expect(try Self.refusal(header: ["typ": type], [:]) == "accepted") }
        #expect(try Self.refusal(header: ["kid": nil], [:]) == "accepted")
    }

    @Test("every other form is refused for its reason")
    func refused() throws {
        let (client, audiences, seconds) = (Self.client, Self.audiences, 1_800_000_000)
        for (changes, reason) in [
            (["iss": nil], "issuer"), (["sub": nil], "issuer"), (["iss": "app_x"], "issuer"), (["sub": client + "\u{0301}"], "issuer"),
            (["sub": client.uppercased()], "issuer"), (["iss": [client]], "issuer"), (["sub": 1], "issuer"),
            (["aud": nil], "audience"), (["aud": ""], "audience"), (["aud": [String]()], "audience"),
            (["aud": "https://login.test"], "audience"),
            (["aud": "https://login.test/t/globex"], "audience"), (["aud": audiences[0] + "/"], "audience"),
            (["aud": [audiences[0], "https://evil.test"]], "audience"), (["aud": ["x": audiences[0]]], "audience"),
            (["aud": audiences[0] + "\u{200D}"], "audience"),
            (["exp": nil], "expiryMissing"), (["exp": "1800000060"], "malformed"), (["exp": seconds - 60], "expired"),
            (["exp": 0], "expired"),
            (["exp": seconds + 3661], "tooLong"), (["exp": 1e300], "tooLong"), (["nbf": seconds + 61], "notYet"),
            (["iat": seconds + 61], "notYet"),
            (["nbf": "x"], "malformed"), (["jti": nil], "idMissing"), (["jti": ""], "idMissing"), (["jti": 1], "idMissing"),
            (["jti": String(repeating: "a", count: 513)], "idMissing"),
        ] as [([String: (any Sendable)?], String)] {
            #expect(try Self.refusal(changes) == reason, "\(changes)")
        }
        for algorithm in ["none", "HS256", "HS512", "ES384", "EdDSA", "es256", ""] {
            #expect(try Self.refusal(header: ["alg": algorithm], [:]) == "algorithm")
        }
        for type in ["at+jwt", "logout+jwt", "JOSE", ""] { #expect(try Self.refusal(header: ["typ": type], [:]) == "type") }
        for header in [["crit": ["exp"]], ["kid": 1], ["typ": 1]] as [[String: (any Sendable)?]] {
            #expect(try Self.refusal(header: header, [:]) == "malformed")
        }
        let valid = try ClientKey().assertion(of: Self.client, for: Self.audiences[0], at: Self.now)
        for text in [
            "", "x", "..", "a.b.c", String(valid.dropLast(10)).replacing(".", with: ""), valid + "=", String(repeating: "a", count: 9000),
        ] {
            #expect(Self.refusal(text).map { "\($0)" } == "malformed", "\(text.prefix(20))")
        }
    }

    @Test("only a key of the application signs it, and the kid chooses the key")
    func signatures() throws {
        let (one, two, foreign) = (try ClientKey("1"), try ClientKey("2"), try ClientKey("1"))
        let set = try #require(PublicKeySet(published: Array(try ClientKey.document(one, two).utf8)))
        func isSigned(_ key: ClientKey, header: [String: (any Sendable)?] = [:]) throws -> Bool {
            let text = try key.assertion(of: Self.client, for: Self.audiences[0], at: Self.now, header: header)
            return try ClientAssertion(text, of: Self.client, for: Self.audiences, at: Self.now).isSigned(byKeyOf: set)
        }
        #expect(try isSigned(one) && isSigned(two))
        // A set with several keys needs a kid, so that a forged assertion costs at most one verification.
        #expect(try !isSigned(two, header: ["kid": nil]))
        #expect(try !isSigned(foreign) && !isSigned(one, header: ["kid": "2"]) && !isSigned(one, header: ["kid": "3"]))
        #expect(try !isSigned(one, header: ["alg": "RS256"]))
        #expect(try !isSigned(one, header: ["jwk": foreign.jwk, "kid": "2"]))
    }

    @Test("no refusal repeats a part of the assertion")
    func descriptions() {
        for refusal in [
            .malformed, .algorithm, .type, .issuer, .audience, .expiryMissing, .expired, .tooLong, .notYet, .idMissing, .signature, .used,
            .keysUnavailable(.timedOut),
        ] as [ClientAssertion.Refusal] {
            #expect(refusal.description.hasSuffix(".") && refusal.description.utf8.allSatisfy { $0 < 0x80 && $0 != 0x22 })
        }
    }
}
