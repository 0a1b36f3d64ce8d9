@testable import Access
import Sealing
import Testing

@Suite("API key")
struct APIKeyTests {
    @Test("a new secret has the right form and checksum")
    func wellFormed() {
        var random = SystemRandomNumberGenerator()
        for live in [true, false] {
            let secret = APIKey.makeSecret(live: live, using: &random).reveal()
            #expect(secret.utf8.count == 45)
            #expect(secret.hasPrefix(live ? "esk_live_" : "esk_test_"))
            #expect(APIKey.isWellFormed(secret))
        }
    }

    @Test("a mistyped character is detected at every position")
    func typo() {
        var random = SystemRandomNumberGenerator()
        let secret = Array(APIKey.makeSecret(live: true, using: &random).reveal())
        for position in 9..<secret.count {
            var mistyped = secret
            mistyped[position] = mistyped[position] == "a" ? "b" : "a"
            #expect(!APIKey.isWellFormed(String(mistyped)))
        }
    }

    @Test("the checksum equals zlib's")
    func checksum() {
        // The check value of CRC-32/ISO-HDLC.
        #expect(CRC32.checksum("123456789".utf8) == 0xCBF4_3926)
    }

    @Test("another length or prefix is refused", arguments: ["", "esk_live_", "sk_live_0123456789012345678901234567890123456"])
    func foreign(_ text: String) {
        #expect(!APIKey.isWellFormed(text))
    }
}
