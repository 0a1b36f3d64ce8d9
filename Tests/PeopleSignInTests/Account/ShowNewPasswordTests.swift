import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show new password")
struct ShowNewPasswordTests {
    @Test("the page of the link changes nothing, and asks for a code, too")
    func shows() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let before = try await account.person().passwordChangedAt
            let (browser, page) = try await account.openRecovery(mails)
            #expect(page.status == 200 && page.body.contains("new-password") && page.body.contains("one-time-code"))
            // A program that opens the link of a mail uses nothing up.
            let again = try await browser.get(try await mails.mail(to: account.email).link)
            #expect(again.status == 200 && again.header("Referrer-Policy") == "strict-origin")
            #expect(try await account.person().passwordChangedAt == before)
        }
    }
}
