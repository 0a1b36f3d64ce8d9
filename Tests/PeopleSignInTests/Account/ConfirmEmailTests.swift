import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Confirm email")
struct ConfirmEmailTests {
    @Test("the address changes once, and a link is of no use after another change of the address")
    func confirms() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            var pages: [TestBrowser.Answer] = []
            for address in ["ada@one.example", "ada@two.example"] {
                _ = try await account.send("/account/email", [("email", address)], from: "/account/email")
                pages.append(try await account.browser.get(try await mails.mail(to: address).link))
            }
            #expect(try await account.browser.sendForm("/account/email/confirmation", of: pages[0]).status == 200)
            for page in pages { #expect(try await account.browser.sendForm("/account/email/confirmation", of: page).status == 404) }
            #expect(try await account.person().email == "ada@one.example")
            #expect(try await account.actions().filter { $0 == "confirmEmail" }.count == 1)
        }
    }
}
