import Access
import Encoding
import Foundation
import Passkeys
import People
import Sealing
import Testing

@testable import PeopleSignIn

@Suite("Step ticket")
struct StepTicketTests {
    private static let person = ID<Person>(at: Date(timeIntervalSince1970: 1_800_000_000))
    private let now = Date(timeIntervalSince1970: 1_800_000_000)
    private static let key = Array(UInt8(0)..<20)

    private static func stages() -> [StepTicket.Stage] {
        [
            .start, .password(person), .enrollment(.person(person), key: key),
            .enrollment(.invited(token: "token", name: "Ada", hash: Secret("$argon2id$hash")), key: key),
        ]
    }

    /// Everything that a stage has.
    private static func text(_ stage: StepTicket.Stage) -> String {
        switch stage {
        case .start: "start"
        case .password(let person): "password \(person)"
        case .enrollment(.person(let person), let key): "person \(person) \(key)"
        case .enrollment(.invited(let token, let name, let hash), let key):
            "invited \(Array(token.utf8)) \(Array(name.utf8)) \(hash.reveal()) \(key)"
        }
    }

    @Test("each stage opens as it was sealed, and the next step of it has a new secret")
    func opens() throws {
        let keyring = try Keyring.make()
        var random = SystemRandomNumberGenerator()
        for stage in Self.stages() {
            for challenge in [nil, PasskeyChallenge(at: now, using: &random)] {
                var ticket = StepTicket(stage, next: ReturnPath(sealed: "/account/device?user_code=BCDF-GHJK"), at: now)
                ticket.challenge = challenge
                ticket.email = challenge == nil ? nil : "ada@example.com"
                let opened = try #require(StepTicket(opening: ticket.sealed(with: keyring), with: keyring, at: now))
                #expect(Self.text(opened.stage) == Self.text(stage))
                #expect(opened.secret == ticket.secret && opened.next == ticket.next && opened.challenge == challenge)
                #expect(opened.email == ticket.email)
                #expect(opened.expiresAt == ticket.expiresAt && opened.createdAt == now)
                #expect(opened.isStart == (Self.text(stage) == "start"))
                #expect(StepTicket(stage, next: .account, at: now).secret != ticket.secret)
            }
        }
    }

    @Test("a step ends exactly after its time, which is longer for a new factor")
    func expires() throws {
        let keyring = try Keyring.make()
        for (stage, seconds) in zip(Self.stages(), [600, 600, 1800, 1800] as [TimeInterval]) {
            let sealed = StepTicket(stage, next: .account, at: now).sealed(with: keyring)
            #expect(StepTicket(opening: sealed, with: keyring, at: now.addingTimeInterval(seconds - 0.001)) != nil)
            #expect(StepTicket(opening: sealed, with: keyring, at: now.addingTimeInterval(seconds)) == nil)
        }
    }

    @Test("a changed ticket does not open, nor one of another installation or purpose")
    func tampered() throws {
        let keyring = try Keyring.make()
        let sealed = StepTicket(.password(Self.person), next: .account, at: now).sealed(with: keyring)
        #expect(StepTicket(opening: sealed, with: keyring, at: now) != nil)
        let bytes = try #require([UInt8](base64URL: sealed))
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(StepTicket(opening: changed.base64URL, with: keyring, at: now) == nil, "\(index)")
        }
        for text in ["", "A", String(sealed.dropLast()), String(repeating: "A", count: 5000)] + spoiled(sealed) {
            #expect(StepTicket(opening: text, with: keyring, at: now) == nil, "\(text.prefix(50).debugDescription)")
        }
        #expect(try StepTicket(opening: sealed, with: Keyring.make(), at: now) == nil)
        let content = try keyring.openToken(sealed, purpose: "account_step")
        for purpose in ["account_mail", "known_browser", "account_form", ""] {
            #expect(StepTicket(opening: keyring.sealToken(content, purpose: purpose), with: keyring, at: now) == nil)
        }
    }

    @Test("content that ends early, or that has an unknown stage, does not open")
    func malformed() throws {
        let keyring = try Keyring.make()
        for stage in Self.stages() {
            let content = try keyring.openToken(StepTicket(stage, next: .account, at: now).sealed(with: keyring), purpose: "account_step")
            for count in 0..<content.count {
                let sealed = keyring.sealToken(Array(content[..<count]), purpose: "account_step")
                #expect(StepTicket(opening: sealed, with: keyring, at: now) == nil, "\(count)")
            }
        }
        for stage in [[4], [], [0, 0]] as [[UInt8]] {
            var fields = FieldWriter()
            fields.write(now.addingTimeInterval(60))
            fields.write("secret")
            fields.write("/account")
            fields.write([UInt8]())
            fields.write(now)
            fields.write(stage)
            fields.write(Self.person.uuid)
            let sealed = keyring.sealToken(fields.bytes, purpose: "account_step")
            #expect(StepTicket(opening: sealed, with: keyring, at: now) == nil, "\(stage)")
        }
    }

    @Test("no text of a person moves the fields beside it", arguments: joiningScalars + ["\0", ";", "\u{0}\u{1}"])
    func texts(_ joining: String) throws {
        let keyring = try Keyring.make()
        let stage = StepTicket.Stage.enrollment(
            .invited(token: "\(joining)token\(joining)", name: "\(joining)", hash: Secret("\(joining)hash")), key: Self.key)
        let opened = try #require(
            StepTicket(opening: StepTicket(stage, next: .account, at: now).sealed(with: keyring), with: keyring, at: now))
        #expect(Self.text(opened.stage) == Self.text(stage))
    }

    @Test("the ticket with the longest name and hash fits into a cookie")
    func longest() throws {
        let keyring = try Keyring.make()
        let stage = StepTicket.Stage.enrollment(
            .invited(
                token: String(repeating: "t", count: 64), name: String(repeating: "\u{1F600}", count: 200),
                hash: Secret(String(repeating: "h", count: 128))), key: Self.key)
        let ticket = StepTicket(stage, next: ReturnPath(invitation: String(repeating: "t", count: 64)), at: now)
        let sealed = ticket.sealed(with: keyring)
        #expect(StepTicket(opening: sealed, with: keyring, at: now) != nil)
        // Browsers keep cookies up to 4096 bytes, with their name and attributes (RFC 6265, section 6.1).
        #expect(AccountCookie.step.set(sealed, seconds: 1800, publicURL: "https://login.test").utf8.count <= 4096)
    }
}
