import Crypto
import Foundation
import TestSupport
import Testing

@testable import Passkeys

/// The values were calculated with Python, by RFC 8032, section 5.1.3.
@Suite("Edwards curve")
struct EdwardsCurveTests {
    /// A small number, or p minus a small number.
    private static func bytes(_ number: Int) -> [UInt8] {
        number >= 0
            ? [UInt8(number)] + [UInt8](repeating: 0, count: 31)
            : [UInt8(0xED + number)] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
    }

    @Test("about half of all y-coordinates have a point")
    func small() {
        let points = (2..<40).filter { EdwardsCurve.hasPoint(atY: Self.bytes($0)) }
        #expect(points == [3, 4, 5, 6, 9, 10, 14, 15, 16, 18, 19, 21, 23, 24, 25, 26, 27, 28, 29, 30, 32, 33, 35, 37, 39])
        // A point with y has a neighbor with −y.
        #expect((2..<40).filter { EdwardsCurve.hasPoint(atY: Self.bytes(-$0)) } == points)
    }

    @Test("every key of the library is a point, and so is each one of RFC 8032, section 7.1")
    func keys() {
        let specified = [
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            "278117fc144c72340f67d0f2316e8386ceffbf2b2428c9c51fef7c597f1d426e",
            "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        ].map(SpecificationVectors.bytes)
        let random = (0..<50).map { _ in Array(Curve25519.Signing.PrivateKey().publicKey.rawRepresentation) }
        for var key in specified + random {
            key[31] &= 0x7F
            #expect(EdwardsCurve.hasPoint(atY: key), "\(key)")
        }
    }

    @Test("no key off the curve is registered, with either sign")
    func outside() {
        let large = [
            "6aad39f4c2aaed1a8a27e534ce4aa7426078fe43c27a88b4ada9dd74482b8410",
            "232cae48c88fff9b500f0b4cca8e9f33a72971aa44125c7294d11bb5c82df818",
            "0102016c9e45bf9fcd7bc5036e3c2e972bed6264cf29988e59785274c6502d2b",
            "52d68e7732bc13156cefd33dc459bff2be5653a3566c3d4fa23ab942f6766043",
        ].map(SpecificationVectors.bytes)
        for y in large + [2, 7, 8, 11, 12, 13, 17, 20, 22, 31, 34, 36, 38, -2, -7, -8].map(Self.bytes) {
            #expect(!EdwardsCurve.hasPoint(atY: y))
            for sign: UInt8 in [0, 0x80] {
                let point = Array(y.dropLast()) + [y[31] | sign]
                let key = CBOR.map([(.int(1), .int(1)), (.int(3), .int(-8)), (.int(-1), .int(6)), (.int(-2), .bytes(point))])
                #expect(throws: CredentialKey.Refusal.malformed) { try CredentialKey(cose: key.encoded) }
            }
        }
    }
}
