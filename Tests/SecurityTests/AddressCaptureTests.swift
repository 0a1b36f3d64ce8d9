import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// An attacker wants an account with the address of somebody else.
@Suite("Attack: captured addresses")
struct AddressCaptureTests {
    private static func run(_ body: @Sendable @escaping (TestPlatform, TestMailServer) async throws -> Void) async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in try await body(platform, mails) }
        }
    }

    private static func link(to address: String, _ mails: TestMailServer) async throws -> String {
        let mail = try await eventually("the mail arrives") { mails.mails.last { $0.recipient == address && !$0.link.isEmpty } }
        return String(mail.link.dropFirst(PersonClient.account.count))
    }

    @Test("the owner of a mailbox who confirms the address gives it to no account that somebody else asked for it with")
    func newAddress() async throws {
        try await Self.run { platform, mails in
            var (mallory, grace) = (PersonClient(platform, "mallory@example.com"), PersonClient(platform, "grace@example.com"))
            try await mallory.register()
            try await grace.register()
            _ = try await mallory.send("/email", [("email", "ada@example.com")], from: try await mallory.open("/email"))
            let link = try await Self.link(to: "ada@example.com", mails)
            // Ada has no account, or has signed in to another one.
            for victim in [PersonClient(platform, "ada@example.com"), grace] {
                let page = try await victim.open(link)
                #expect(page.status == 200 && page.body.contains("mallory@example.com"))
                let pressed = try await victim.send("/email/confirmation", [], from: page)
                #expect(pressed.status == 303 && pressed.location == "/account/sign-in")
            }
            // The token of another session does not count.
            let token = TestBrowser.AppleForm(html: try await grace.open("/name").body)?["csrf"] ?? ""
            let ticket = String(link.split(separator: "=", maxSplits: 1)[1])
            let forged = try await grace.browser.post(
                PersonClient.account + "/email/confirmation", form: [("csrf", token), ("ticket", ticket)],
                headers: [("Origin", TestPlatform.publicURL)])
            #expect(forged.status == 400)
            #expect(try await platform.count("person", where: "email = 'ada@example.com'") == 0)
            #expect(try await platform.audited("confirmEmail").isEmpty)
        }
    }
}
