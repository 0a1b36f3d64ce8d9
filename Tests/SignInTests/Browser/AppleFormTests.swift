import Access
import Encoding
import Foundation
import Sealing
import Sessions
import Testing

@testable import SignIn

@Suite("Apple form")
struct AppleFormTests {
    private let keyring = try! Keyring([.generate()])
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private let login = ID<LoginID>(UUID())

    private func form(_ pairs: [(String, String)]) throws -> Form {
        try Form(pairs.map { "\($0)=\(Form.encode($1))" }.joined(separator: "&"))
    }

    private func open(_ sealed: String, for login: ID<LoginID>? = nil, with keyring: Keyring? = nil) throws -> AppleForm {
        try AppleForm(opening: sealed, for: login ?? self.login, with: keyring ?? self.keyring)
    }

    @Test("a form opens unchanged, of any length up to the limit", arguments: [0, 10, 2900, 3000, 6000, 8900])
    func roundTrip(length: Int) throws {
        let user = String(repeating: "é", count: length / 2)
        let answer = AppleForm(try form([("code", "c"), ("id_token", "a.b.c"), ("user", user)]))
        let opened = try open(try #require(answer.sealed(for: login, with: keyring, at: now)))
        #expect(opened.code == "c" && opened.idToken == "a.b.c" && opened.error == nil)
        #expect(opened.user.map { Array($0.utf8) } == (length == 0 ? nil : Array(user.utf8)))
        let canceled = AppleForm(try form([("error", "user_cancelled_authorize")]))
        let again = try open(try #require(canceled.sealed(for: login, with: keyring, at: now)))
        #expect(again.error == "user_cancelled_authorize" && again.code == nil)
    }

    @Test("a form longer than Apple's is refused")
    func tooLong() throws {
        let answer = AppleForm(try form([("code", "c"), ("user", String(repeating: "x", count: 9000))]))
        #expect(answer.sealed(for: login, with: keyring, at: now) == nil)
    }

    @Test("it counts for 2 minutes, and opens for its attempt, unaltered and complete")
    func bound() throws {
        let answer = AppleForm(try form([("code", "c"), ("user", String(repeating: "x", count: 7000))]))
        let sealed = try #require(answer.sealed(for: login, with: keyring, at: now))
        let other = try #require(answer.sealed(for: login, with: keyring, at: now))
        let opened = try open(sealed)
        #expect(!opened.isExpired(at: now + 119) && opened.isExpired(at: now + 120) && !answer.isExpired(at: now + 120))
        #expect(throws: LoginAttempt.Refusal.unreadable) { try open(sealed, for: ID(UUID())) }
        #expect(throws: LoginAttempt.Refusal.unreadable) { try open(sealed, with: Keyring([.generate()])) }
        let (parts, others) = (sealed.split(separator: "."), other.split(separator: "."))
        #expect(parts.count == 3)
        // Parts of two forms for one attempt may be mixed, because both are of Apple. No part is missing, moved or added.
        _ = try open([parts[0], parts[1], others[2]].joined(separator: "."))
        for list in [
            [parts[0]], [parts[0], parts[1]], [parts[1], parts[0], parts[2]], [parts[0], parts[1], parts[2], parts[2]], parts + [""],
            [""] + parts, [parts[0], parts[1], parts[2].dropLast()], [], parts + parts,
        ] {
            #expect(throws: LoginAttempt.Refusal.unreadable) { try open(list.joined(separator: ".")) }
        }
        for text in ["\u{600}" + sealed, sealed + "\u{301}", sealed.replacing(".", with: ".\u{200D}")] {
            #expect(throws: LoginAttempt.Refusal.unreadable) { try open(text) }
        }
    }
}
