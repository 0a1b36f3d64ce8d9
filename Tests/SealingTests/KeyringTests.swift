import Foundation
import Sealing
import Testing

@Suite("Keyring, stored values")
struct KeyringTests {
    private static let tenant = UUID()
    private static let context = SealingContext(tenant: tenant, table: "apple_key", column: "private_key", row: "row-1")
    private let plaintext = Array("-----BEGIN PRIVATE KEY-----".utf8)

    @Test("a sealed value opens in its own context", arguments: [0, 1, 15, 16, 17, 200, 100_000])
    func opens(count: Int) throws {
        let keyring = try Keyring([.generate()])
        let plaintext = [UInt8](repeating: 7, count: count)
        let sealed = keyring.seal(plaintext, in: Self.context)
        #expect(try keyring.open(sealed, in: Self.context) == plaintext)
        #expect(try keyring.open(Sealed(bytes: sealed.bytes), in: Self.context) == plaintext)
    }

    @Test("the same value is sealed differently each time, and the result does not contain its bytes")
    func isRandomized() throws {
        let keyring = try Keyring([.generate()])
        let sealed = Set((0..<100).map { _ in keyring.seal(plaintext, in: Self.context) })
        #expect(sealed.count == 100)
        #expect(sealed.allSatisfy { !Data($0.bytes).contains(Data(plaintext)) })
    }

    @Test(
        "a value moved to another tenant, table, column or row does not open",
        arguments: [
            SealingContext(tenant: UUID(), table: "apple_key", column: "private_key", row: "row-1"),
            SealingContext(tenant: nil, table: "apple_key", column: "private_key", row: "row-1"),
            SealingContext(tenant: tenant, table: "signing_key", column: "private_key", row: "row-1"),
            SealingContext(tenant: tenant, table: "apple_key", column: "note", row: "row-1"),
            SealingContext(tenant: tenant, table: "apple_key", column: "private_key", row: "row-2"),
            SealingContext(tenant: tenant, table: "apple_ke", column: "yprivate_key", row: "row-1"),
            SealingContext(tenant: tenant, table: "apple_key", column: "private_keyrow-1", row: ""),
        ])
    func otherContext(context: SealingContext) throws {
        let keyring = try Keyring([.generate()])
        let sealed = keyring.seal(plaintext, in: Self.context)
        #expect(throws: SealingError.forged) { try keyring.open(sealed, in: context) }
    }

    @Test(
        "no part of a context can replace a part of another",
        arguments: [
            // Each pair would have the same bytes without one of the lengths.
            ("a", "b", "\0\0\0\0\0\0\0\0", "a\0\0\0\u{1}b\0\0\0\u{8}", "", ""),
            ("a", "b", "\0\0\0\0", "a", "b\0\0\0\u{4}", ""),
        ])
    func unambiguousContext(
        table: String, column: String, row: String, otherTable: String, otherColumn: String, otherRow: String
    ) throws {
        let keyring = try Keyring([.generate()])
        let context = SealingContext(tenant: nil, table: table, column: column, row: row)
        let lookalike = SealingContext(tenant: nil, table: otherTable, column: otherColumn, row: otherRow)
        let sealed = keyring.seal(plaintext, in: context)
        #expect(throws: SealingError.forged) { try keyring.open(sealed, in: lookalike) }
    }

    @Test("another keyring does not open it")
    func otherKey() throws {
        let sealed = try Keyring([.generate()]).seal(plaintext, in: Self.context)
        let other = try Keyring([.generate(), .generate()])
        #expect(throws: SealingError.unknownKey) { try other.open(sealed, in: Self.context) }
    }

    @Test("a value cut at any length is rejected, and so is one with an extra byte")
    func truncated() throws {
        let keyring = try Keyring([.generate()])
        let sealed = keyring.seal(plaintext, in: Self.context)
        for count in 0..<sealed.bytes.count {
            #expect(throws: SealingError.self) { try keyring.open(Sealed(bytes: Array(sealed.bytes.prefix(count))), in: Self.context) }
        }
        #expect(throws: SealingError.forged) { try keyring.open(Sealed(bytes: sealed.bytes + [0]), in: Self.context) }
    }

    @Test("a value with any flipped bit is rejected")
    func flippedBits() throws {
        let keyring = try Keyring([.generate()])
        let sealed = keyring.seal(plaintext, in: Self.context)
        for bit in 0..<(sealed.bytes.count * 8) {
            var bytes = sealed.bytes
            bytes[bit / 8] ^= 1 << (bit % 8)
            let expected: SealingError = bit < 8 ? .malformed : bit < 40 ? .unknownKey : .forged
            #expect(throws: expected) { try keyring.open(Sealed(bytes: bytes), in: Self.context) }
        }
    }

    @Test("the newest key seals, older keys still open, and their values need resealing")
    func rotation() throws {
        let (old, new) = (MasterKey.generate(), MasterKey.generate())
        let before = try Keyring([old])
        let during = try Keyring([new, old])
        let after = try Keyring([new])
        let sealedBefore = before.seal(plaintext, in: Self.context)
        #expect(try before.resealed(sealedBefore, in: Self.context) == nil)
        #expect(try during.open(sealedBefore, in: Self.context) == plaintext)
        #expect(try during.resealed(sealedBefore, in: Self.context) != nil)
        let sealedDuring = during.seal(plaintext, in: Self.context)
        #expect(try during.resealed(sealedDuring, in: Self.context) == nil)
        #expect(try after.open(sealedDuring, in: Self.context) == plaintext)
        #expect(throws: SealingError.unknownKey) { try after.open(sealedBefore, in: Self.context) }
        #expect(throws: SealingError.unknownKey) { try before.open(sealedDuring, in: Self.context) }
    }

    @Test("a keyring without keys, or with a duplicate key, is rejected")
    func refusals() throws {
        let key = MasterKey.generate()
        #expect(throws: Keyring.Refusal.empty) { try Keyring([]) }
        #expect(throws: Keyring.Refusal.duplicate) { try Keyring([key, .generate(), key]) }
    }
}
