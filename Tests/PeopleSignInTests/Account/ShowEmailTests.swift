import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show email")
struct ShowEmailTests {
    @Test("the page has the present address, and its form needs a new sign-in after 10 minutes, and a mail server")
    func shows() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let page = try await account.get("/account/email")
            #expect(page.status == 200 && page.body.contains("action=\"/account/email\"") && page.body.contains("New email address"))
            #expect(page.body.contains("You sign in with <bdi>ada@example.com</bdi>."))
            let old = try await OwnAccount.make(platform, "Grace", signedIn: 660)
            #expect(try await old.get("/account/email").location == "/account/sign-in?again=/account/email")
            #expect(mails.mails.isEmpty)
        }
    }
}
