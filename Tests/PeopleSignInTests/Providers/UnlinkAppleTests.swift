import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Unlink Apple")
struct UnlinkAppleTests {
    @Test("the own account disconnects the Apple Account, which then signs nobody in")
    func unlinks() async throws {
        try await ApplePlatform.run { apple in
            let account = try await OwnAccount.make(apple.platform)
            _ = try await apple.link(account)
            #expect(try await account.get("/account").body.contains("Last used on \u{2066}20"))
            let question = try await account.send("/account/apple/removal", from: "/account")
            #expect(question.status == 200 && question.body.contains("<h1>Disconnect your Apple Account</h1>"), "\(question.body)")
            #expect(try await apple.identities(of: account) == 1)
            let answer = try await account.browser.sendForm("/account/apple/removal", of: question)
            #expect(answer.location == "/account?done=apple-disconnected")
            #expect(try await account.get("/account?done=apple-disconnected").body.contains("Your Apple Account is disconnected."))
            #expect(try await apple.identities(of: account) == 0)
            #expect(try await account.actions() == ["linkApple", "unlinkApple"])
        }
    }

    @Test("a person without a password and a passkey keeps it")
    func needed() async throws {
        try await ApplePlatform.run { apple in
            let account = try await OwnAccount.make(apple.platform)
            _ = try await apple.link(account)
            _ = try await apple.platform.ownerPool.run("UPDATE person SET sealed_password = NULL, password_changed_at = NULL")
            #expect(try await account.send("/account/apple/removal", from: "/account").location == "/account?done=apple-needed")
            #expect(try await account.get("/account?done=apple-needed").body.contains("First set a password"))
            #expect(try await apple.identities(of: account) == 1)
        }
    }

    @Test("a mail tells the person of the connection, and another one of its end")
    func notices() async throws {
        try await TestMailServer.run { mails in
            let settings = try mails.settings()
            try await ApplePlatform.run({ $0.mail = settings }) { apple in
                let account = try await OwnAccount.make(apple.platform)
                _ = try await apple.link(account)
                let connected = try await mails.mail(to: account.email)
                #expect(connected.part("plain")?.contains("An Apple Account was connected to your account") == true)
                let removed = try await account.confirm("/account/apple/removal", from: "/account")
                #expect(removed.location == "/account?done=apple-disconnected")
                let disconnected = try await mails.mail(to: account.email, after: 1)
                #expect(disconnected.part("plain")?.contains("The Apple Account was disconnected from your account") == true)
            }
        }
    }
}
