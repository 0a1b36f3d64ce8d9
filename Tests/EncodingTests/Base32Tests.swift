import Encoding
import Testing

@Suite("base32")
struct Base32Tests {
    @Test(
        "the vectors of RFC 4648, section 10, without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
        ])
    func vectors(text: String, encoded: String) {
        #expect(Array(text.utf8).base32 == encoded)
    }

    @Test("all digits, and bytes with all bits")
    func digits() {
        // The values 0 to 31, with 5 bits each.
        let bytes: [UInt8] = [
            0x00, 0x44, 0x32, 0x14, 0xC7, 0x42, 0x54, 0xB6, 0x35, 0xCF, 0x84, 0x65, 0x3A, 0x56, 0xD7, 0xC6, 0x75, 0xBE, 0x77, 0xDF,
        ]
        #expect(bytes.base32 == "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
        #expect([UInt8](repeating: 255, count: 20).base32 == String(repeating: "7", count: 32))
    }
}
