import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Change password")
struct ChangePasswordTests {
    @Test("a new password ends all other sessions, gives this browser a new secret, and mails a notice")
    func changes() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let other = try await account.otherBrowser()
            let before = account.browser.cookies["__Host-espalier-account"]
            let changed = try await account.send("/account/password", [("password", "a quite different phrase")], from: "/account/password")
            #expect(changed.status == 303 && changed.location == "/account?done=password")
            #expect(account.browser.cookies["__Host-espalier-account"] != before)
            #expect(try await account.get("/account?done=password").body.contains("role=\"status\""))
            #expect(try await other.get("\(TestPlatform.publicURL)/account").status == 303)
            _ = try await mails.mail(to: account.email)
            #expect(try await account.actions() == ["changePassword"])
        }
    }

    @Test("a short, common or predictable password is refused beside its field, and nothing changes")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let before = try await account.person().passwordChangedAt
            for password in ["xq7!z", "password123", "abcdefghijkl", "my ada@example.com!", String(repeating: "\u{0301}", count: 2000)] {
                let answer = try await account.send("/account/password", [("password", password)], from: "/account/password")
                #expect(
                    answer.status == 400 && answer.body.contains("role=\"alert\"") && !answer.body.contains(password), "\(password.count)")
            }
            #expect(try await account.person().passwordChangedAt == before)
        }
    }
}
