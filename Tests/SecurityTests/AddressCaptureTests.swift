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

    /// Sends the form of an invitation for a new account, also from a page without it.
    private static func createAccount(
        _ name: String, _ person: PersonClient, from page: TestBrowser.Answer
    ) async throws -> TestBrowser.Answer {
        let hidden = try #require(TestBrowser.AppleForm(html: page.body))
        let form = [
            ("csrf", hidden["csrf"] ?? ""), ("token", hidden["token"] ?? ""), ("name", name), ("password", person.password),
        ]
        return try await person.browser.post(
            PersonClient.account + "/invitation", form: form, headers: [("Origin", TestPlatform.publicURL)])
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

    @Test("an account that has not proved an address keeps its owner with a mailed invitation out of nothing")
    func unprovedAccount() async throws {
        try await Self.run { platform, mails in
            // Mallory held a copied link to the address of Ada.
            var mallory = PersonClient(platform, "ada@example.com")
            try await mallory.register(as: "viewer", name: "Mallory")
            _ = try await platform.ownerPool.run("DELETE FROM membership")
            let invitation = ["email": "ada@example.com", "role": "owner"]
            #expect(try await platform.call("POST", "/tenants/acme/invitations", invitation).status == 201)
            let link = try await Self.link(to: "ada@example.com", mails)

            var ada = PersonClient(platform, "ada@example.com")
            ada.password = "a quite different phrase"
            let page = try await ada.open(link)
            #expect(page.body.contains("An account with this address exists.") && page.body.contains("Create account"))
            let chosen = try await Self.createAccount("Ada", ada, from: page)
            #expect(chosen.location == "/account/sign-in/authenticator")
            try await ada.enroll()
            #expect(
                try await platform.count(
                    "person", where: "name = 'Ada' AND email = 'ada@example.com' AND email_proved_at IS NOT NULL") == 1)
            #expect(try await platform.count("person", where: "name = 'Mallory' AND email LIKE '%@address.invalid'") == 1)
            #expect(try await platform.count("membership", where: "name = 'Ada' AND role = 'owner'") == 1)
            // The link is used, and a proved address stays.
            #expect(try await mallory.open(link).status == 404)
            _ = try await platform.ownerPool.run("DELETE FROM membership")
            #expect(try await platform.call("POST", "/tenants/acme/invitations", invitation).status == 201)
            let next = try await eventually("the second mail arrives") {
                mails.mails.last { $0.recipient == "ada@example.com" && !$0.link.isEmpty && !$0.link.hasSuffix(link) }
            }
            let stranger = PersonClient(platform, "ada@example.com")
            let second = try await stranger.browser.get(next.link)
            #expect(!second.body.contains("Create account"))
            #expect(try await Self.createAccount("Eve", stranger, from: second).location == "/account/sign-in")
        }
    }
}
