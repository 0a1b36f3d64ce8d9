import Crypto
import Encoding
import Foundation

/// The public key of a passkey, as a COSE key (RFC 9052, section 7). It verifies the signatures of assertions.
package struct CredentialKey: Sendable {
    /// The supported algorithms, with their numbers in COSE (Level 3, section 5.8.5). The first one is preferred, because every
    /// authenticator has it.
    package enum Algorithm: Int, CaseIterable, Sendable {
        /// ECDSA with P-256 and SHA-256.
        case es256 = -7
        /// EdDSA with Ed25519.
        case edDSA = -8
    }

    package enum Refusal: Error, Equatable {
        /// The key is not a COSE key in its only form, or its point is weak or not on its curve.
        case malformed
        /// Another algorithm.
        case algorithm
    }

    private enum Key {
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    /// In bytes. The longest supported key has 77.
    private static let longest = 1024

    private let key: Key

    /// Reads a COSE key.
    ///
    /// WebAuthn permits only the required parameters and the uncompressed form of a point (Level 3, sections 5.8.5 and 6.5.1). So each key
    /// has exactly one form.
    package init(cose bytes: [UInt8]) throws(Refusal) {
        guard let value = try? CBORValue(canonical: bytes, upTo: Self.longest), case .map(let members) = value,
            let algorithm = value.member(Label.algorithm)
        else { throw .malformed }
        if algorithm == .integer(Algorithm.es256.rawValue) {
            guard members.count == 5, value.member(Label.type) == .integer(2), value.member(Label.curve) == .integer(1),
                let x = value.member(Label.x)?.bytes(count: 32), let y = value.member(Label.y)?.bytes(count: 32),
                // It also checks that the point is on the curve.
                let point = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
            else { throw .malformed }
            key = .p256(point)
        } else if algorithm == .integer(Algorithm.edDSA.rawValue) {
            guard members.count == 4, value.member(Label.type) == .integer(1), value.member(Label.curve) == .integer(6),
                let x = value.member(Label.x)?.bytes(count: 32), Self.isSound(x),
                let point = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
            else { throw .malformed }
            key = .ed25519(point)
        } else {
            switch algorithm {
            case .unsigned, .negative: throw .algorithm
            default: throw .malformed
            }
        }
    }

    /// The labels of a COSE key (RFC 9052, section 7.1; RFC 9053, sections 7.1.1 and 7.2).
    private enum Label {
        static let type = 1, algorithm = 3, curve = -1, x = -2, y = -3
    }

    // MARK: Weak keys

    /// Whether an Ed25519 key is a point of the curve in its shortest form (RFC 8032, section 5.1.3), and its order is not small. The library
    /// checks only its length.
    ///
    /// For a point of small order, anybody can make a signature that BoringSSL accepts. The person could then deny an act of the audit
    /// trail. A correct key is never such a point.
    private static func isSound(_ point: [UInt8]) -> Bool {
        var y = point
        // The sign of x.
        y[31] &= 0x7F
        let isReduced = y[0] < 0xED || y[31] < 0x7F || y[1...30].contains { $0 < 0xFF }
        return isReduced && !smallOrders.contains(y) && EdwardsCurve.hasPoint(atY: y)
    }

    /// The y-coordinates of the 8 points whose order divides 8.
    private static let smallOrders: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3,
            0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C,
            0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]

    // MARK: Signatures

    /// Whether this key made the signature.
    /// - Parameter signature: For ES256, ASN.1 in DER (Level 3, section 6.5.5). Only the shortest form is accepted. For EdDSA, 64 bytes.
    func verifies(_ signature: [UInt8], of signed: [UInt8]) -> Bool {
        switch key {
        case .p256(let key):
            guard let parsed = try? P256.Signing.ECDSASignature(derRepresentation: signature),
                parsed.derRepresentation.elementsEqual(signature)
            else { return false }
            return key.isValidSignature(parsed, for: signed)
        case .ed25519(let key): return key.isValidSignature(signature, for: signed)
        }
    }
}
