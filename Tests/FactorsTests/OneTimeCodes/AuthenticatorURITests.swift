import Encoding
import QRCode
import Sealing
import Testing

@testable import Factors

@Suite("Address for authenticator apps")
struct AuthenticatorURITests {
    private let key: AuthenticatorKey

    init() throws {
        key = try #require(AuthenticatorKey(bytes: Array("12345678901234567890".utf8)))
    }

    private func uri(_ issuer: String, _ account: String) -> String { key.uri(issuer: issuer, account: account).reveal() }

    @Test("the address has the form that the apps read")
    func form() {
        #expect(
            uri("Espalier", "anna@example.com")
                == "otpauth://totp/Espalier:anna%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Espalier")
    }

    @Test(
        "a name can add no parameter and no second label",
        arguments: [
            ("A&secret=AAAA", "A%26secret%3DAAAA"), ("A?b#c", "A%3Fb%23c"), ("A/../b", "A%2F..%2Fb"), ("A: B", "A%20B"),
            ("100 %", "100%20%25"), ("A+B", "A%2BB"), ("A\u{600}&b", "A%D8%80%26b"), ("A&\u{301}b", "A%26%CC%81b"),
            ("A:\u{301}b", "A%CC%81b"), ("Gärten", "G%C3%A4rten"), ("A\r\nB\u{0}", "A%0D%0AB%00"), ("A\"'<>", "A%22%27%3C%3E"), ("", ""),
            (":", ""),
        ])
    func escapes(name: String, encoded: String) {
        #expect(uri(name, name) == "otpauth://totp/\(encoded):\(encoded)?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=\(encoded)")
    }

    @Test(
        "long names are cut off so that the address fits into a QR code, and stays valid",
        arguments: ["a", "庭", "🌳", "é", "e\u{301}", "%", "👩‍👩‍👧‍👦"])
    func bound(unit: String) throws {
        for count in [1, 5, 10, 20, 50, 300] {
            let name = String(repeating: unit, count: count)
            let uri = uri(name, name + "@example.com")
            #expect(uri.utf8.count <= QRCode.mostBytes)
            #expect(uri.contains("?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer="))
            let label = uri.dropFirst("otpauth://totp/".count).prefix { $0 != "?" }
            let parts = label.split(separator: ":", omittingEmptySubsequences: false)
            #expect(parts.count == 2)
            for part in parts {
                // Valid UTF-8, and not empty.
                let decoded = try #require(Form.decode(String(part)))
                #expect(!decoded.isEmpty && "\(name)@example.com".unicodeScalars.starts(with: decoded.unicodeScalars))
            }
            #expect(uri.hasSuffix("&issuer=\(parts[0])"))
            // It does not stop the process.
            #expect(key.qrCode(issuer: name, account: name + "@example.com").size <= 57)
        }
    }

    @Test("a usual address is not cut off")
    func usual() {
        let account = "maximiliane.mustermann@customer-identity.example.com"
        #expect(uri("Globex Corporation Europe", account).contains(":\(Form.encode(account))?"))
    }

    @Test("the QR code has the address as its content")
    func qrCode() throws {
        let code = key.qrCode(issuer: "Espalier", account: "anna@example.com")
        #expect(try #require(QRCode(Array(uri("Espalier", "anna@example.com").utf8))) == code)
    }
}
