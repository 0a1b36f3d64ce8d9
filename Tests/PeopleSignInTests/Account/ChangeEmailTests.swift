import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Change email")
struct ChangeEmailTests {
    @Test("the address changes after the link in a mail, which works once, and the earlier address gets a notice")
    func changes() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let sent = try await account.send("/account/email", [("email", "ada@new.example")], from: "/account/email")
            #expect(sent.status == 200 && sent.body.contains("ada@new.example"))
            #expect(try await account.person().email == "ada@example.com")
            let link = try await mails.mail(to: "ada@new.example").link
            // The mail may be read on another device, which signs in first and comes back.
            let device = TestBrowser(platform)
            let asked = try await device.get(link)
            #expect(asked.status == 200 && asked.body.contains("ada@example.com") && asked.header("Referrer-Policy") == "strict-origin")
            #expect(try await device.sendForm("/account/email/confirmation", of: asked).location == "/account/sign-in")
            #expect(try await account.person().email == "ada@example.com")
            #expect(try await account.signIn(in: device).location == link.replacing(TestPlatform.publicURL, with: ""))
            let page = try await device.get(link)
            #expect(page.status == 200 && page.header("Referrer-Policy") == "strict-origin")
            let confirmed = try await device.sendForm("/account/email/confirmation", of: page)
            #expect(confirmed.status == 200)
            let person = try await account.person()
            #expect(person.email == "ada@new.example" && person.emailProvedAt != nil)
            let notice = try await eventually("the notice arrives") {
                mails.mails.first { $0.recipient == "ada@example.com" && $0.part("plain")?.contains("has changed") == true }
            }
            let text = try #require(notice.part("plain"))
            #expect(text.contains("New address: ") && text.contains("a…@new.example") && !text.contains("ada@new.example"))
            #expect(text.contains("Network address: 127.0.0.1") && text.contains("You can no longer sign in with this address"))
            #expect(try await device.sendForm("/account/email/confirmation", of: page).status == 404)
            #expect(try await device.get(link).status == 404)
            #expect(try await account.actions() == ["changeEmail", "giveSecondFactor", "confirmEmail"])
        }
    }

    @Test("a proved address of another account stays there, and an address that was only entered goes to its owner")
    func taken() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let other = try await OwnAccount.make(platform, "Grace")
            let sent = try await account.send("/account/email", [("email", "grace@example.com")], from: "/account/email")
            // The page does not tell that there is such an account.
            #expect(sent.status == 200 && sent.body.contains("on its way"))
            let page = try await account.browser.get(try await mails.mail(to: "grace@example.com").link)
            #expect(try await account.browser.sendForm("/account/email/confirmation", of: page).status == 409)
            #expect(try await other.person().email == "grace@example.com")
            _ = try await platform.ownerPool.run("UPDATE person SET email_proved_at = NULL WHERE id = \(other.id)")
            #expect(try await account.browser.sendForm("/account/email/confirmation", of: page).status == 200)
            #expect(try await account.person().email == "grace@example.com")
            #expect(try await other.person().email == "\(other.id)@address.invalid")
        }
    }

    @Test("a fourth link within 15 minutes is refused, an invalid address too, and nothing is sent without a mail server")
    func limits() async throws {
        try await TestPlatform.runWithMail { platform, _ in
            let account = try await OwnAccount.make(platform)
            for address in ["", "ada", "a@b@c", "ada@example.com\r\nBcc: x@y.example", "ada@\u{0301}example.com"] {
                #expect(try await account.send("/account/email", [("email", address)], from: "/account/email").status == 400, "\(address)")
            }
            for number in 0..<4 {
                let answer = try await account.send("/account/email", [("email", "ada\(number)@new.example")], from: "/account/email")
                #expect(answer.status == (number < 3 ? 200 : 429))
            }
        }
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let page = try await account.get("/account/email")
            #expect(page.body.contains("sends no mail") && !page.body.contains("<form"))
        }
    }
}
