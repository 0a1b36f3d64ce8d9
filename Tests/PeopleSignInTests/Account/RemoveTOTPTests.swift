import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Remove TOTP")
struct RemoveTOTPTests {
    @Test("the app stays while there is no passkey, and goes with a mail when there is one")
    func removes() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let page = try await account.get("/account/totp")
            #expect(page.status == 200 && !page.body.contains("/account/totp/removal"))
            try await account.addPasskeyRow()
            let question = try await account.send("/account/totp/removal", from: "/account/totp")
            #expect(question.status == 200 && question.body.contains("<h1>Remove the authenticator app?</h1>"))
            #expect(try await platform.count("person_totp") == 1)
            let removed = try await account.browser.sendForm("/account/totp/removal", of: question)
            #expect(removed.status == 303 && removed.location == "/account?done=app-removed")
            #expect(try await account.get("/account?done=app-removed").body.contains("The authenticator app is removed."))
            #expect(try await platform.count("person_totp") == 0)
            #expect(try await mails.mail(to: account.email).part("plain")?.contains("The authenticator app was removed") == true)
            #expect(try await account.actions() == ["removeTOTP"])
        }
    }

    @Test("a form of a page from before the last passkey went removes nothing")
    func late() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            try await account.addPasskeyRow()
            let page = try await account.send("/account/totp/removal", from: "/account/totp")
            _ = try await platform.ownerPool.run("DELETE FROM passkey")
            let answer = try await account.browser.sendForm("/account/totp/removal", of: page)
            #expect(answer.status == 409)
            #expect(try await platform.count("person_totp") == 1)
        }
    }
}
