import Crypto
import Foundation
@testable import Passkeys
import TestSupport
import Testing

@Suite("Credential key")
struct CredentialKeyTests {
    private static let message = Array("authenticator data and a hash".utf8)

    private static func refusal(_ bytes: [UInt8]) -> CredentialKey.Refusal? {
        do { _ = try CredentialKey(cose: bytes) } catch { return error }
        return nil
    }

    private static func refusal(_ members: [(CBOR, CBOR)]) -> CredentialKey.Refusal? { refusal(CBOR.map(members).encoded) }

    /// The members of a P-256 key.
    private static func elliptic(_ key: P256.Signing.PublicKey = P256.Signing.PrivateKey().publicKey) -> [(CBOR, CBOR)] {
        let point = Array(key.x963Representation)
        return [
            (.int(1), .int(2)), (.int(3), .int(-7)), (.int(-1), .int(1)), (.int(-2), .bytes(Array(point[1...32]))),
            (.int(-3), .bytes(Array(point[33...]))),
        ]
    }

    private static func edwards(_ point: [UInt8]) -> [(CBOR, CBOR)] {
        [(.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)), (.int(-2), .bytes(point))]
    }

    /// The members with other values.
    private static func changed(_ members: [(CBOR, CBOR)], _ values: [Int: CBOR]) -> [(CBOR, CBOR)] {
        members.indices.map { index in (members[index].0, values[index] ?? members[index].1) }
    }

    @Test("a key verifies its signatures and no others", arguments: ["ES256", "EdDSA"])
    func verifies(_ algorithm: String) throws {
        let (authenticator, other) = (SoftwareAuthenticator(algorithm), SoftwareAuthenticator(algorithm))
        let key = try CredentialKey(cose: authenticator.cose)
        let signature = try authenticator.signature(of: Self.message)
        #expect(key.verifies(signature, of: Self.message))
        #expect(!key.verifies(signature, of: Self.message + [0]))
        #expect(!key.verifies(signature, of: []))
        #expect(try !key.verifies(other.signature(of: Self.message), of: Self.message))
        #expect(!key.verifies([], of: Self.message))
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 1
            #expect(!key.verifies(changed, of: Self.message), "\(index)")
        }
    }

    @Test("the signature of one algorithm is not one of another")
    func algorithms() throws {
        let (one, two) = (SoftwareAuthenticator("ES256"), SoftwareAuthenticator("EdDSA"))
        #expect(try !CredentialKey(cose: one.cose).verifies(two.signature(of: Self.message), of: Self.message))
        #expect(try !CredentialKey(cose: two.cose).verifies(one.signature(of: Self.message), of: Self.message))
    }

    /// ECDSA permits other encodings of the same numbers in BER. DER has one.
    @Test("a signature of ES256 has the only form of DER")
    func der() throws {
        let signer = P256.Signing.PrivateKey()
        let key = try CredentialKey(cose: CBOR.map(Self.elliptic(signer.publicKey)).encoded)
        // Numbers of all lengths occur among many signatures.
        for _ in 0..<100 {
            let signature = try signer.signature(for: Self.message)
            #expect(key.verifies(Array(signature.derRepresentation), of: Self.message))
        }
        let signature = try signer.signature(for: Self.message)
        let raw = Array(signature.rawRepresentation)
        let (r, s) = (Self.integer(Array(raw[..<32])), Self.integer(Array(raw[32...])))
        let der = Self.sequence(r, s)
        #expect(der == Array(signature.derRepresentation) && key.verifies(der, of: Self.message))

        let (body, length) = (Self.joined(r, s), der[1])
        let zero: [UInt8] = [0x02, 1, 0]
        let long = Self.joined([0x02, 33, 1], [UInt8](repeating: 1, count: 32))
        let forms: [(String, [UInt8])] = [
            ("raw", raw), ("empty", []), ("an empty sequence", [0x30, 0]), ("cut off", Array(der.dropLast())),
            ("a byte after it", Self.joined(der, [0])), ("a byte after it, inside", Self.sequence(r, s, [0])),
            ("a third number", Self.sequence(r, s, [0x02, 1, 1])), ("one number", Self.sequence(r)),
            ("a long length", Self.joined([0x30, 0x81, length], body)), ("a longer length", Self.joined([0x30, 0x82, 0, length], body)),
            ("a length without end", Self.joined([0x30, 0x80], body, [0, 0])), ("a wrong length", Self.joined([0x30, length - 1], body)),
            ("a huge length", Self.joined([0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], body)),
            ("a length of 8 bytes", Self.joined([0x30, 0x88], [UInt8](repeating: 0xFF, count: 8), body)),
            ("a padded r", Self.sequence(Self.padded(r), s)), ("a padded s", Self.sequence(r, Self.padded(s))),
            ("a negative r", Self.sequence(Self.negative(r), s)), ("a negative s", Self.sequence(r, Self.negative(s))),
            ("an r of 0", Self.sequence(zero, s)), ("an s of 0", Self.sequence(r, zero)), ("two zeros", Self.sequence(zero, zero)),
            ("empty numbers", Self.sequence([0x02, 0], [0x02, 0])), ("numbers of 33 bytes", Self.sequence(long, long)),
            ("a set", Self.joined([0x31, length], body)), ("an octet string", Self.sequence(Self.joined([0x04], Array(r.dropFirst())), s)),
            ("a constructed number", Self.sequence(Self.joined([0x22], Array(r.dropFirst())), s)), ("s before r", Self.sequence(s, r)),
        ]
        for (name, form) in forms { #expect(!key.verifies(form, of: Self.message), "\(name)") }

        // The other spelling of the same signature (n − s) is valid ECDSA. A challenge counts once, so nobody gains from it.
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E,
            0x84,
            0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        var (other, borrow) = ([UInt8](repeating: 0, count: 32), 0)
        for index in (0..<32).reversed() {
            let difference = Int(order[index]) - Int(raw[32 + index]) - borrow
            (other[index], borrow) = (UInt8(truncatingIfNeeded: difference), difference < 0 ? 1 : 0)
        }
        #expect(key.verifies(Self.sequence(r, Self.integer(other)), of: Self.message))
    }

    private static func joined(_ parts: [UInt8]...) -> [UInt8] { parts.flatMap(\.self) }

    private static func sequence(_ parts: [UInt8]...) -> [UInt8] {
        let content = parts.flatMap(\.self)
        return joined([0x30, UInt8(content.count)], content)
    }

    private static func padded(_ integer: [UInt8]) -> [UInt8] { joined([0x02, integer[1] + 1, 0], Array(integer[2...])) }

    private static func negative(_ integer: [UInt8]) -> [UInt8] {
        integer[2] == 0
            ? joined([0x02, integer[1] - 1], Array(integer[3...])) : joined([0x02, integer[1], integer[2] | 0x80], Array(integer[3...]))
    }

    /// A positive number in its shortest form (X.690, section 8.3).
    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return [0x02, UInt8(digits.count)] + digits
    }

    @Test("a signature of EdDSA has 64 bytes, and its number is reduced")
    func edDSA() throws {
        let authenticator = SoftwareAuthenticator("EdDSA")
        let key = try CredentialKey(cose: authenticator.cose)
        let signature = try authenticator.signature(of: Self.message)
        #expect(signature.count == 64)
        for form in [signature + [0], Array(signature.dropLast()), Array(signature.dropFirst()), [0] + signature] {
            #expect(!key.verifies(form, of: Self.message))
        }
        // The same number plus the order of the group (RFC 8032, section 5.1.7).
        let order: [UInt8] = [
            0xED, 0xD3, 0xF5, 0x5C, 0x1A, 0x63, 0x12, 0x58, 0xD6, 0x9C, 0xF7, 0xA2, 0xDE, 0xF9, 0xDE, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
            0, 0,
            0, 0, 0x10,
        ]
        var (changed, carry) = (signature, 0)
        for index in 0..<32 {
            let sum = Int(signature[32 + index]) + Int(order[index]) + carry
            (changed[32 + index], carry) = (UInt8(truncatingIfNeeded: sum), sum >> 8)
        }
        #expect(changed != signature && !key.verifies(changed, of: Self.message))
    }

    @Test("every other algorithm is refused as such", arguments: [-257, -37, -35, -36, -9, -19, -53, -65535, 5, 0])
    func otherAlgorithms(_ number: Int) {
        #expect(Self.refusal(Self.changed(Self.elliptic(), [1: .int(number)])) == .algorithm)
    }

    @Test("a key of P-256 has exactly its parameters")
    func malformedEllipticKeys() {
        let good = Self.elliptic()
        #expect(Self.refusal(good) == nil)
        let (ones, zeros) = (CBOR.bytes([UInt8](repeating: 1, count: 32)), CBOR.bytes([UInt8](repeating: 0, count: 32)))
        let cases: [(String, [(CBOR, CBOR)])] = [
            ("no members", []), ("no type", Array(good[1...])), ("no algorithm", [good[0], good[2], good[3], good[4]]),
            ("no curve", [good[0], good[1], good[3], good[4]]), ("no x", [good[0], good[1], good[2], good[4]]), ("no y", Array(good[..<4])),
            ("type OKP", Self.changed(good, [0: .int(1)])), ("type text", Self.changed(good, [0: .text("EC2")])),
            ("algorithm text", Self.changed(good, [1: .text("ES256")])), ("P-384", Self.changed(good, [2: .int(2)])),
            ("Ed25519", Self.changed(good, [2: .int(6)])), ("secp256k1", Self.changed(good, [2: .int(8)])),
            ("a point outside", Self.changed(good, [3: ones, 4: ones])), ("x of another point", Self.changed(good, [3: ones])),
            ("the point at infinity", Self.changed(good, [3: zeros, 4: zeros])),
            ("a compressed point", Self.changed(good, [4: .bool(true)])),
            ("a short x", Self.changed(good, [3: .bytes([1])])),
            ("a long y", Self.changed(good, [4: .bytes([UInt8](repeating: 0, count: 33))])),
            ("x as text", Self.changed(good, [3: .text(String(repeating: "a", count: 32))])), ("a private part", good + [(.int(-4), ones)]),
            ("a key ID", [good[0], (.int(2), ones), good[1], good[2], good[3], good[4]]),
            ("a text as a label", good + [(.text("a"), .null)]),
            ("another order", [good[1], good[0], good[2], good[3], good[4]]),
            ("a member twice", [good[0], good[0], good[1], good[2], good[3]]),
        ]
        for (name, members) in cases { #expect(Self.refusal(members) == .malformed, "\(name)") }
        let whole = CBOR.map(good).encoded
        for length in 0..<whole.count { #expect(Self.refusal(Array(whole[..<length])) == .malformed) }
        for bytes in [[0x80], [0xF6], whole + [0], [UInt8](repeating: 0xA0, count: 5000)] { #expect(Self.refusal(bytes) == .malformed) }
    }

    @Test("a key of Ed25519 has exactly its parameters")
    func malformedEdwardsKeys() {
        let point = Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation)
        let good = Self.edwards(point)
        #expect(Self.refusal(good) == nil)
        let cases: [(String, [(CBOR, CBOR)])] = [
            ("type EC2", Self.changed(good, [0: .int(2)])), ("X25519", Self.changed(good, [2: .int(4)])),
            ("Ed448", Self.changed(good, [2: .int(7)])), ("P-256", Self.changed(good, [2: .int(1)])),
            ("a short x", Self.edwards(Array(point.dropLast()))), ("a long x", Self.edwards(point + [0])), ("no x", Array(good[..<3])),
            ("a y", good + [(.int(-3), .bytes(point))]), ("a private part", good + [(.int(-4), .bytes(point))]),
        ]
        for (name, members) in cases { #expect(Self.refusal(members) == .malformed, "\(name)") }
    }

    /// The encodings of the points whose order divides 8, with each sign.
    @Test("a key of small order, for which anybody can sign, is refused")
    func weakKeys() throws {
        let points = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
            "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            // Numbers of the field that are not reduced.
            "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ]
        for hex in points {
            for sign: UInt8 in [0, 0x80] {
                var point = SpecificationVectors.bytes(hex)
                point[31] |= sign
                #expect(Self.refusal(Self.edwards(point)) == .malformed, "\(hex)")
            }
        }
        // The library alone accepts such a key. For the neutral point, this signature is valid for every message: R is the neutral point,
        // and S is 0.
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let signature = neutral + [UInt8](repeating: 0, count: 32)
        #expect(try Curve25519.Signing.PublicKey(rawRepresentation: neutral).isValidSignature(signature, for: Self.message))
    }
}
