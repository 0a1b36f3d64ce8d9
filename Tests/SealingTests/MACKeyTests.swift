import Crypto
import Foundation
import Testing

@testable import Sealing

@Suite("MAC keys")
struct MACKeyTests {
    /// RFC 4231, sections 4.2, 4.3 and 4.4.
    @Test(
        "the code is HMAC-SHA256 of the RFC's examples",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
        ])
    func examples(key: [UInt8], message: [UInt8], code: String) {
        let made = MACKey(SymmetricKey(data: key)).code(for: message)
        #expect(made.map { String(format: "%02x", $0) }.joined() == code)
    }

    @Test("the code agrees with swift-crypto's at every length, and for a part of an array", arguments: 0..<200)
    func agrees(count: Int) {
        let key = SymmetricKey(size: .bits256)
        var random = SystemRandomNumberGenerator()
        let message = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let expected = Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
        #expect(MACKey(key).code(for: message) == expected)
        #expect(MACKey(key).code(for: ([1] + message + [2]).dropFirst().dropLast()) == expected)
    }

    @Test("one key makes codes at the same time")
    func concurrent() async {
        let key = MACKey(SymmetricKey(size: .bits256))
        let expected = key.code(for: Array("a".utf8))
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<64 { group.addTask { (0..<100).allSatisfy { _ in key.code(for: Array("a".utf8)) == expected } } }
            for await isEqual in group { #expect(isEqual) }
        }
    }
}
