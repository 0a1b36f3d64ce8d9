@testable import Passkeys
import TestSupport
import Testing

@Suite("Attestation object")
struct AttestationObjectTests {
    private static func read(_ members: [(CBOR, CBOR)]) -> AttestationObject? { AttestationObject(CBOR.map(members).encoded) }

    private static func object(
        fmt: CBOR = .text("none"), attStmt: CBOR = .map([]), authData: CBOR = .bytes([1, 2])
    ) -> [(CBOR, CBOR)] {
        [(.text("fmt"), fmt), (.text("attStmt"), attStmt), (.text("authData"), authData)]
    }

    @Test("the authenticator data is returned, with any statement that is well-formed")
    func statements() {
        #expect(Self.read(Self.object())?.authenticatorData == [1, 2])
        for format in ["packed", "tpm", "android-key", "android-safetynet", "fido-u2f", "apple", "compound", "unknown-format", ""] {
            for statement in [
                .map([]),
                .map([(.text("alg"), .int(-7)), (.text("sig"), .bytes([0])), (.text("x5c"), .array([.bytes([1]), .bytes([2])]))]),
            ] as [CBOR] {
                #expect(Self.read(Self.object(fmt: .text(format), attStmt: statement))?.authenticatorData == [1, 2], "\(format)")
            }
        }
        let compound = CBOR.array([
            .map([(.text("fmt"), .text("packed")), (.text("attStmt"), .map([(.text("x5c"), .array([.bytes([1])]))]))]),
            .map([(.text("fmt"), .text("apple")), (.text("attStmt"), .map([]))]),
        ])
        #expect(Self.read(Self.object(fmt: .text("compound"), attStmt: compound)) != nil)
    }

    @Test("the format none has no statement")
    func none() {
        #expect(Self.read(Self.object(attStmt: .map([(.text("sig"), .bytes([1]))]))) == nil)
        #expect(Self.read(Self.object(attStmt: .array([]))) == nil)
    }

    @Test("every other form is refused")
    func refused() {
        let good = Self.object()
        for (name, members) in [
            ("nothing", []), ("no format", Array(good.dropFirst())), ("no data", Array(good.dropLast())),
            ("no statement", [good[0], good[2]]),
            ("a member more", [(.int(1), .null)] + good), ("another order", [good[1], good[0], good[2]]),
            ("a member twice", [good[0], good[0], good[1]]),
            ("a format of bytes", Self.object(fmt: .bytes(Array("none".utf8)))), ("no format, but null", Self.object(fmt: .null)),
            ("a statement of null", Self.object(attStmt: .null)),
            ("a list as a statement", Self.object(fmt: .text("packed"), attStmt: .array([]))),
            ("data as a text", Self.object(authData: .text("aa"))), ("data as a map", Self.object(authData: .map([]))),
            // CTAP2 has numbers as keys. A browser translates them.
            ("the keys of CTAP2", [(.int(1), good[0].1), (.int(2), good[2].1), (.int(3), good[1].1)]),
            ("a joining character", [(.text("fm\u{301}t"), good[0].1), (.text("attStmt"), good[1].1), (.text("authData"), good[2].1)]),
        ] as [(String, [(CBOR, CBOR)])] { #expect(Self.read(members) == nil, "\(name)") }
        let whole = CBOR.map(good).encoded
        for length in 0..<whole.count { #expect(AttestationObject(Array(whole[..<length])) == nil) }
        #expect(AttestationObject(whole + [0]) == nil)
        // A long statement.
        for (length, isAccepted) in [(16_000, true), (16_384, false)] {
            let statement = CBOR.map([(.text("sig"), .bytes([UInt8](repeating: 0, count: length)))])
            #expect((Self.read(Self.object(fmt: .text("packed"), attStmt: statement)) != nil) == isAccepted)
        }
    }
}
