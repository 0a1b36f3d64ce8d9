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

    @Test("a master key never prints")
    func neverPrints() {
        let key = MasterKey.generate()
        var text = "\(key) \(String(reflecting: key)) \([key])"
        dump(key, to: &text)
        #expect(!text.contains(key.base64.reveal()))
        #expect(Mirror(reflecting: key).children.isEmpty)
    }
}
