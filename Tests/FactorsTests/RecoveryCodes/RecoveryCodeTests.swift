import Foundation
import Sealing
import Testing

@testable import Factors

@Suite("Recovery code")
struct RecoveryCodeTests {
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let person = UUID()

    private func keyring(_ keys: DigestKey...) throws -> Keyring {
        try Keyring([.generate()]).with(keys.isEmpty ? [.generate(start: now)] : keys, at: now)
    }

    @Test("a set has 10 different codes of 12 consonants, at least 50 bits each")
    func codes() {
        let codes = RecoveryCode.makeSet().map { $0.text.reveal() }
        #expect(codes.count == 10 && Set(codes).count == 10)
        for code in codes { #expect(code.wholeMatch(of: /(?:[BCDFGHJKLMNPQRSTVWXZ]{4}-){2}[BCDFGHJKLMNPQRSTVWXZ]{4}/) != nil) }
        #expect(Set((0..<100).flatMap { _ in RecoveryCode.makeSet().map { $0.text.reveal() } }).count == 1000)
    }

    /// The first 24 numbers are the same, so the first two codes of 12 letters are too.
    private struct Repeating: RandomNumberGenerator {
        var calls: UInt64 = 0

        mutating func next() -> UInt64 {
            calls += 1
            return calls <= 24 ? 1 << 63 | 1 : calls &* 0x9E37_79B9_7F4A_7C15
        }
    }

    @Test("a code that is already in the set is replaced")
    func duplicates() {
        var random = Repeating()
        let codes = RecoveryCode.makeSet(using: &random).map { $0.text.reveal() }
        #expect(codes.count == 10 && Set(codes).count == 10)
    }

    @Test("a code is read in every spelling that a person types")
    func typed() throws {
        let keyring = try keyring()
        for code in RecoveryCode.makeSet() {
            let (text, stored) = (code.text.reveal(), [code.digest(for: person, with: keyring)])
            let plain = text.replacing("-", with: "")
            for typed in [
                text, text.lowercased(), plain, plain.lowercased(), " \(plain) ", text.replacing("-", with: " - "),
                text.replacing("-", with: " "),
                plain.map { "\($0)" }.joined(separator: "-"),
            ] {
                let read = try #require(RecoveryCode(typed), "\(typed)")
                #expect(read.position(in: stored, for: person, with: keyring) == 0)
            }
        }
    }

    @Test(
        "any other text is not a code, also next to characters that join a letter",
        arguments: [
            "", "-", "BCDFGHJKLMN", "BCDFGHJKLMNPQ", "BCDF-GHJK-LMNA", "BCDF-GHJK-LMN0", "BCDF_GHJK_LMNP", "BCDF\u{2010}GHJK\u{2010}LMNP",
            "BCDF-GHJ\u{212A}-LMNP", "BCDF-GHJK-LMNP\u{301}", "BCDF\u{600}-GHJK-LMNP", "BCDF-\u{200D}GHJK-LMNP", "BCDF-GHJK-LMNP\u{0}",
            "BCDF\tGHJK\tLMNP", "BCDF-GHJK-LMNP\n", "ＢCDF-GHJK-LMNP", "BCDF\u{A0}GHJK\u{A0}LMNP", "\u{17F}CDF-GHJK-LMNP",
            String(repeating: " ", count: 60) + "BCDFGHJKLMNP",
        ])
    func refused(text: String) {
        #expect(RecoveryCode(text) == nil)
    }

    @Test("the stored forms find the code of the person, at its position, and nobody else's")
    func digests() throws {
        let keyring = try keyring()
        let codes = RecoveryCode.makeSet()
        let stored = codes.map { $0.digest(for: person, with: keyring) }
        #expect(Set(stored).count == 10 && stored.allSatisfy { $0.count == 32 })
        for (position, code) in codes.enumerated() {
            #expect(code.position(in: stored, for: person, with: keyring) == position)
            // After its use, it is gone, and the others remain.
            var rest = stored
            rest.remove(at: position)
            #expect(code.position(in: rest, for: person, with: keyring) == nil)
            // A row that was copied to another person.
            #expect(code.position(in: stored, for: UUID(), with: keyring) == nil)
        }
        for code in RecoveryCode.makeSet() { #expect(code.position(in: stored, for: person, with: keyring) == nil) }
        #expect(codes[0].position(in: [], for: person, with: keyring) == nil)
        #expect(codes[0].position(in: [[], [0], Array(stored[0].dropLast())], for: person, with: keyring) == nil)
    }

    @Test("a code stays valid after a new digest key, and is unknown under another installation's key")
    func digestKeys() throws {
        let (old, new) = (DigestKey.generate(start: now - 10), DigestKey.generate(start: now))
        let code = try #require(RecoveryCode.makeSet().first)
        let stored = [code.digest(for: person, with: try keyring(old))]
        #expect(code.position(in: stored, for: person, with: try keyring(old, new)) == 0)
        #expect(code.position(in: stored, for: person, with: try keyring(new)) == nil)
    }

    @Test("a code never prints")
    func neverPrints() throws {
        let code = try #require(RecoveryCode("BCDF-GHJK-LMNP"))
        var dumped = ""
        dump(code, to: &dumped)
        for text in ["\(code)", String(reflecting: code), "\([code])", dumped, "\(code.text)"] {
            #expect(text.contains("<secret>") && !text.contains("BCDF") && !text.contains("66"))
        }
    }
}
