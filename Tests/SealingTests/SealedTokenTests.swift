import Encoding
import Foundation
import Sealing
import Testing

@Suite("Keyring, tokens")
struct SealedTokenTests {
    private let plaintext = Array("attempt".utf8)

    @Test("a token is URL-safe and opens only for its purpose")
    func opens() throws {
        let keyring = try Keyring([.generate()])
        let token = keyring.sealToken(plaintext, purpose: "login attempt")
        #expect(token.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        #expect(try keyring.openToken(token, purpose: "login attempt") == plaintext)
        #expect(throws: SealingError.forged) { try keyring.openToken(token, purpose: "authorization code") }
        #expect(throws: SealingError.forged) { try keyring.openToken(token, purpose: "") }
    }

    @Test("a token of an older key opens while the keyring has that key")
    func rotation() throws {
        let (old, new) = (MasterKey.generate(), MasterKey.generate())
        let token = try Keyring([old]).sealToken(plaintext, purpose: "x")
        #expect(try Keyring([new, old]).openToken(token, purpose: "x") == plaintext)
        #expect(throws: SealingError.unknownKey) { try Keyring([new]).openToken(token, purpose: "x") }
    }

    @Test("a token over 4 KiB is rejected without work, and one of exactly 4 KiB is read")
    func oversized() throws {
        let keyring = try Keyring([.generate()])
        let largest = keyring.sealToken([UInt8](repeating: 1, count: 3027), purpose: "x")
        #expect(largest.utf8.count == Keyring.longestToken)
        #expect(try keyring.openToken(largest, purpose: "x").count == 3027)
        let larger = keyring.sealToken([UInt8](repeating: 1, count: 3028), purpose: "x")
        #expect(throws: SealingError.tooLong) { try keyring.openToken(larger, purpose: "x") }
    }

    @Test(
        "text that is not a token is rejected",
        arguments: ["", "A", "AAAA", "not a token", "%41%41", "💥", "AAAA====", String(repeating: "A", count: 75)])
    func malformed(text: String) throws {
        let keyring = try Keyring([.generate()])
        #expect(throws: SealingError.malformed) { try keyring.openToken(text, purpose: "x") }
    }

    @Test("a token with any changed character is rejected")
    func changed() throws {
        let keyring = try Keyring([.generate()])
        let token = Array(keyring.sealToken(plaintext, purpose: "x"))
        for index in token.indices {
            var changed = token
            changed[index] = changed[index] == "A" ? "B" : "A"
            #expect(throws: SealingError.self) { try keyring.openToken(String(changed), purpose: "x") }
        }
    }

    @Test("a stored value is not a token, and a token is not a stored value")
    func separateUses() throws {
        let keyring = try Keyring([.generate()])
        let context = SealingContext(tenant: nil, table: "", column: "", row: "")
        // The same spelling as that context's associated data, so that only the keys separate the two uses.
        let purpose = String(repeating: "\0", count: 13)
        let stored = keyring.seal(plaintext, in: context)
        #expect(throws: SealingError.forged) { try keyring.openToken(stored.bytes.base64URL, purpose: purpose) }
        let token = try #require([UInt8](base64URL: keyring.sealToken(plaintext, purpose: purpose)))
        #expect(throws: SealingError.forged) { try keyring.open(Sealed(bytes: token), in: context) }
    }
}
