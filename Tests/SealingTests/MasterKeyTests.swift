import Foundation
import Sealing
import Testing

@Suite("MasterKey")
struct MasterKeyTests {
    private static func base64(_ bytes: some Sequence<UInt8>) -> String {
        Data(Array(bytes)).base64EncodedString()
    }

    @Test("a generated key reads back from its base64, with or without a line end")
    func roundTrip() throws {
        let key = MasterKey.generate()
        let again = try MasterKey(base64: key.base64.reveal() + "\n")
        let token = try Keyring([key]).sealToken([1, 2, 3], purpose: "x")
        #expect(try Keyring([again]).openToken(token, purpose: "x") == [1, 2, 3])
        #expect(key.base64 != MasterKey.generate().base64)
    }

    @Test(
        "a key that is not random is rejected",
        arguments: [
            base64(repeatElement(0, count: 32)),
            base64(repeatElement(255, count: 32)),
            base64(0..<32),
            base64((0..<32).map { 200 &- $0 &* 3 }),
            base64((0..<32).map { $0 % 4 &* 50 }),
            base64(Array(repeatElement(200, count: 16)) + Array(repeatElement(7, count: 16))),
            base64(Array(160..<176) + Array(160..<176)),
            base64("correct horse battery staple 123".utf8),
            base64("0123456789abcdef9876543210fedcba".utf8),
        ])
    func weak(base64: String) {
        #expect(throws: MasterKey.Refusal.weak) { try MasterKey(base64: base64) }
    }

    @Test("a key of another length is rejected with its length", arguments: [0, 16, 31, 33, 64])
    func length(count: Int) {
        #expect(throws: MasterKey.Refusal.wrongLength(count)) {
            try MasterKey(base64: Self.base64((0..<count).map { _ in UInt8.random(in: .min ... .max) }))
        }
    }

    @Test("text that is not base64 is rejected", arguments: ["not base64!", "AAA", "ÄÖÜ="])
    func notBase64(text: String) {
        #expect(throws: MasterKey.Refusal.notBase64) { try MasterKey(base64: text) }
    }

    @Test("a passphrase and a salt determine the key, and a change of either changes it")
    func passphrase() throws {
        let salt = Array("installation-0001".utf8)
        func key(_ passphrase: String, _ salt: [UInt8]) throws -> Secret {
            try MasterKey(passphrase: Secret(passphrase), salt: salt).base64
        }
        let first = try key("correct horse battery staple", salt)
        // Calculated with Debian's argon2(1): -id -t 3 -m 16 -p 1 -l 32.
        #expect(first.reveal() == "sg+4CF1votafv6hOCvwVK9z99CCQnhjKSKv3+d4wOGA=")
        #expect(try key("correct horse battery staples", salt) != first)
        #expect(try key("correct horse battery staple", Array("installation-0002".utf8)) != first)
    }

    @Test("a short passphrase or salt is rejected")
    func shortPassphrase() {
        #expect(throws: MasterKey.Refusal.shortPassphrase) {
            try MasterKey(passphrase: Secret("fifteen bytes .".prefix(15).description), salt: [UInt8](repeating: 1, count: 16))
        }
        #expect(throws: MasterKey.Refusal.shortSalt) {
            try MasterKey(passphrase: Secret("correct horse battery staple"), salt: [UInt8](repeating: 1, count: 15))
        }
    }

    @Test("a master key never prints")
    func neverPrints() {
        let key = MasterKey.generate()
        var text = "\(key) \(String(reflecting: key)) \([key])"
        dump(key, to: &text)
        #expect(!text.contains(key.base64.reveal()))
        #expect(Mirror(reflecting: key).children.isEmpty)
    }
}
