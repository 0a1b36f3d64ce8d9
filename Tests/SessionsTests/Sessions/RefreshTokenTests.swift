import Access
import Foundation
import Sealing
@testable import Sessions
import Tenancy
import Testing

@Suite("Refresh token")
struct RefreshTokenTests {
    let keyring: Keyring
    let tenant = ID<Tenant>(at: Date())
    let session = ID<Session>(at: Date())

    init() throws {
        keyring = try Self.keyring()
    }

    private static func keyring() throws -> Keyring {
        try Keyring([.generate()]).with([.generate(start: Date())], at: Date())
    }

    @Test("a token's text reads back and never changes, so that a lost response can be repeated", arguments: [0, 1, 77, Int(Int32.max)])
    func roundTrip(generation: Int) throws {
        let token = RefreshToken(session, generation: generation)
        let text = token.text(of: tenant, with: keyring)
        #expect(text.hasPrefix("ert_"))
        #expect(text.utf8.count == 79)
        #expect(text == token.text(of: tenant, with: keyring))
        let read = try #require(RefreshToken(text, of: tenant, with: keyring))
        #expect(read.session == session)
        #expect(read.generation == generation)
    }

    @Test("another generation, session or tenant has a different text, which cannot be derived from this one")
    func distinct() {
        let texts = [
            RefreshToken(session, generation: 0).text(of: tenant, with: keyring),
            RefreshToken(session, generation: 1).text(of: tenant, with: keyring),
            RefreshToken(ID(at: Date()), generation: 0).text(of: tenant, with: keyring),
            RefreshToken(session, generation: 0).text(of: ID(at: Date()), with: keyring),
        ]
        #expect(Set(texts.map { $0.suffix(43) }).count == 4)
    }

    @Test("tokens of another tenant or another installation, and altered ones, are invalid")
    func forged() throws {
        let text = RefreshToken(session, generation: 3).text(of: tenant, with: keyring)
        #expect(RefreshToken(text, of: ID(at: Date()), with: keyring) == nil)
        #expect(RefreshToken(text, of: tenant, with: try Self.keyring()) == nil)
        for position in text.indices {
            var altered = text
            altered.replaceSubrange(position...position, with: text[position] == "A" ? "B" : "A")
            #expect(RefreshToken(altered, of: tenant, with: keyring) == nil)
        }
        for other in ["", "ert_", text + "A", String(text.dropLast()), "ert_" + String(repeating: "=", count: 75), " " + text.dropLast()] {
            #expect(RefreshToken(other, of: tenant, with: keyring) == nil)
        }
    }

    @Test("a token does not change with a new master key; one of the previous version is readable without its master key")
    func rotatedMasterKey() throws {
        let (old, new, now) = (MasterKey.generate(), MasterKey.generate(), Date())
        let digestKey = DigestKey.generate(start: now)
        let text = RefreshToken(session, generation: 0).text(of: tenant, with: try Keyring([old]).with([digestKey], at: now))
        let rotated = try Keyring([new]).with([digestKey], at: now)
        #expect(RefreshToken(text, of: tenant, with: rotated) != nil)
        #expect(RefreshToken(session, generation: 0).text(of: tenant, with: rotated) == text)

        let before = try Keyring([old])
        let imported = before.digestKeysOfMasterKeys
        let upgraded = try before.with(imported + [.generate(start: now + 60)], at: now)
        let ofPrevious = RefreshToken(session, generation: 0).text(of: tenant, with: upgraded)
        let later = try Keyring([new]).with(imported + [digestKey], at: now)
        #expect(RefreshToken(ofPrevious, of: tenant, with: later) != nil)
        #expect(RefreshToken(session, generation: 0).text(of: tenant, with: later) != ofPrevious)
    }
}
