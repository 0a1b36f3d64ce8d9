import Encoding
import Foundation
import Sealing
import Testing

@testable import PeopleSignIn

@Suite("Form token")
struct FormTokenTests {
    private static let secret = "secret of a session"

    @Test("a form of one browser does not count in another, and no part of its secret is enough")
    func bound() throws {
        let keyring = try Keyring.make()
        let token = FormToken(for: Self.secret, with: keyring).text
        #expect(FormToken.isRight(token, for: Self.secret, with: keyring))
        for other in ["", "secret of a sessio", Self.secret + "s", Self.secret.uppercased()] + spoiled(Self.secret) {
            #expect(!FormToken.isRight(token, for: other, with: keyring), "\(other.debugDescription)")
        }
        // The standard library holds these two texts to be equal.
        let (one, two) = ("\u{E9}", "e\u{301}")
        #expect(one == two && !FormToken.isRight(FormToken(for: one, with: keyring).text, for: two, with: keyring))
    }

    @Test("a missing, changed, shortened or lengthened token is refused")
    func tampered() throws {
        let keyring = try Keyring.make()
        let token = FormToken(for: Self.secret, with: keyring).text
        let bytes = try #require([UInt8](base64URL: token))
        #expect(bytes.count == 36)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(!FormToken.isRight(changed.base64URL, for: Self.secret, with: keyring), "\(index)")
        }
        for part in [Array(bytes.dropLast()), Array(bytes.dropFirst()), bytes + [0], Array(bytes[..<4]), Array(bytes[4...])] {
            #expect(!FormToken.isRight(part.base64URL, for: Self.secret, with: keyring))
        }
        for text in ["", String(repeating: "A", count: 48), String(repeating: "A", count: 100_000)] + spoiled(token) {
            #expect(!FormToken.isRight(text, for: Self.secret, with: keyring), "\(text.prefix(100).debugDescription)")
        }
        #expect(!FormToken.isRight(nil, for: Self.secret, with: keyring))
    }

    @Test("the MAC of another purpose is not a token")
    func otherPurpose() throws {
        let keyring = try Keyring.make()
        let id = keyring.currentDigestKeyID
        for (purpose, isRight) in [("account_form", true), ("known_browser", false), ("", false)] {
            let mac = try #require(keyring.mac(Array(Self.secret.utf8), purpose: purpose, keyID: id))
            #expect(FormToken.isRight((id.bytes + mac).base64URL, for: Self.secret, with: keyring) == isRight, "\(purpose)")
        }
    }

    @Test("a page of before a new digest key can still be sent, and one of another installation cannot")
    func keys() throws {
        let (old, new) = (DigestKey.generate(start: .distantPast), DigestKey.generate(start: Date(timeIntervalSince1970: 0)))
        let token = FormToken(for: Self.secret, with: try Keyring.make([old])).text
        let both = try Keyring.make([old, new])
        #expect(both.currentDigestKeyID == new.id && FormToken.isRight(token, for: Self.secret, with: both))
        #expect(try !FormToken.isRight(token, for: Self.secret, with: Keyring.make([new])))
    }
}
