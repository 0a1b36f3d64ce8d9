import Access
import Encoding
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Set new password")
struct SetNewPasswordTests {
    @Test("the link and a code set a password, all sessions end, and the link works once")
    func sets() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let (browser, page) = try await account.openRecovery(mails)
            #expect(page.status == 200 && page.header("Referrer-Policy") == "strict-origin")
            let before = try await account.person().passwordChangedAt
            func send(_ password: String, _ code: String) async throws -> TestBrowser.Answer {
                try await browser.sendForm("/account/recovery/password", [("password", password), ("code", code)], of: page)
            }
            #expect(try await send("short", account.code()).status == 400)
            #expect(try await send("a quite different phrase", "000").status == 400)
            #expect(try await account.person().passwordChangedAt == before)
            // The refused password has not used the code up.
            #expect(try await send("a quite different phrase", account.code()).status == 200)
            #expect(try await account.get("/account").status == 303)
            #expect(try await send("another different phrase", account.code(1)).status == 404)
            #expect(try await account.actions() == ["askForRecovery", "setNewPassword"])
            _ = try await mails.mail(to: account.email, after: 1)
        }
    }

    @Test("the fifth wrong code mails a notice to the person, and no other one does")
    func guesses() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let (browser, page) = try await account.openRecovery(mails)
            try await eventually("the mail with the link is done") { try await platform.count("mail") == 0 }
            func send() async throws -> Int {
                let fields = [("password", "a quite different phrase"), ("code", "000")]
                return try await browser.sendForm("/account/recovery/password", fields, of: page).status
            }
            for _ in 0..<4 { #expect(try await send() == 400) }
            #expect(try await platform.count("mail") == 0 && mails.mails.count == 1)
            #expect(try await send() == 400)
            let notice = try #require(try await mails.mail(to: account.email, after: 1).part("plain"))
            #expect(notice.hasPrefix("Somebody used the mailed link for a new password at login.test, and gave 5 wrong codes."))
            #expect(notice.contains("somebody can read your mail"))
            // The next round of codes begins 15 minutes later.
            #expect(try await send() == 429)
            _ = try await platform.ownerPool.run("UPDATE person SET recovery_failed_at = recovery_failed_at - interval '1 hour'")
            #expect(try await send() == 400)
            try await eventually("no mail waits") { try await platform.count("mail") == 0 }
            #expect(mails.mails.count == 2)
        }
    }

    @Test("an account whose factors an operator removed needs no code, and one with passkeys only gets no form")
    func factors() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform, hasApp: false)
            let (browser, page) = try await account.openRecovery(mails)
            try await account.addPasskeyRow()
            let shown = try await browser.get(try await mails.mail(to: account.email).link).body
            #expect(shown.contains("If you have lost your passkeys") && !shown.contains("<form"), "\(shown)")
            let fields = [("password", "a quite different phrase")]
            // The passkey was added since.
            #expect(try await browser.sendForm("/account/recovery/password", fields, of: page).status == 404)
            _ = try await platform.ownerPool.run("DELETE FROM passkey")
            #expect(try await browser.sendForm("/account/recovery/password", fields, of: page).status == 200)
        }
    }

    @Test("a member who signs in only with the provider of the tenant sets no password")
    func provider() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await FakeProvider.run { provider in
                try await SSOPlatform.run(with: provider, { $0.mail = settings }) { sso in
                    _ = try await sso.prove("example.com")
                    let account = try await OwnAccount.make(sso.platform)
                    let acme = try #require(ID<Tenant>(sso.platform.acme.id)).uuid
                    _ = try await sso.platform.ownerPool.run(
                        Membership.insert(ID(at: Date()), of: account.id, as: .builtIn(.developer), owner: acme, at: Date()))
                    let (browser, page) = try await account.openRecovery(mails)
                    try await sso.require(provider)
                    let before = try await account.person().passwordChangedAt
                    func send(_ code: String) async throws -> Int {
                        let fields = [("password", "a quite different phrase"), ("code", code)]
                        return try await browser.sendForm("/account/recovery/password", fields, of: page).status
                    }
                    #expect(try await send("000") == 400)
                    #expect(try await send(account.code()) == 403)
                    #expect(try await account.person().passwordChangedAt == before)
                }
            }
        }
    }

    @Test("a text that this server has not sealed, and the link for another purpose, are of no use")
    func links() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            _ = try await account.send("/account/email", [("email", "ada@new.example")], from: "/account/email")
            let ticket = try await mails.mail(to: "ada@new.example").link.split(separator: "=").last.map(String.init) ?? ""
            for text in ["", "x", ticket, String(repeating: "A", count: 3000), "\u{0600}\u{200D}"] {
                let url = "\(TestPlatform.publicURL)/account/recovery/password?ticket=\(Form.encode(text))"
                #expect(try await TestBrowser(platform).get(url).status == 404)
            }
        }
    }
}

extension OwnAccount {
    /// Asks for a link in another browser, and opens it.
    func openRecovery(_ mails: TestMailServer) async throws -> (browser: TestBrowser, page: TestBrowser.Answer) {
        let browser = TestBrowser(platform)
        let form = try await browser.get("\(TestPlatform.publicURL)/account/recovery")
        _ = try await browser.sendForm("/account/recovery", [("email", email)], of: form)
        // A notice has no link.
        let mail = try await eventually("the mail arrives") { mails.mails.last { $0.recipient == email && !$0.link.isEmpty } }
        return (browser, try await browser.get(mail.link))
    }
}
