import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Delete passkey")
struct DeletePasskeyTests {
    @Test("a passkey goes with a mail, but not the last one without a password or without another second factor")
    func deletes() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform, hasApp: false)
            let (first, second) = (try await account.addPasskeyRow(), try await account.addPasskeyRow())
            func delete(_ id: ID<PersonPasskey>) async throws -> TestBrowser.Answer {
                try await account.send("/account/passkeys/\(id)/removal", from: "/account/passkeys/\(id)")
            }
            #expect(try await delete(first).status == 303)
            let notice = try #require(try await mails.mail(to: account.email).part("plain"))
            for text in ["A passkey was removed", "Name of the passkey: Phone", "127.0.0.1"] { #expect(notice.contains(text)) }
            let refused = try await delete(second)
            #expect(refused.status == 409 && refused.body.contains("second factor"))
            _ = try await platform.ownerPool.run("UPDATE person SET sealed_password = NULL, password_changed_at = NULL")
            let only = try await delete(second)
            #expect(only.status == 409 && only.body.contains("Set a password first"))
            #expect(try await platform.count("passkey") == 1)
            #expect(try await account.actions() == ["deletePasskey"])
        }
    }

    @Test("with a password and an app, the last passkey goes")
    func last() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let id = try await account.addPasskeyRow()
            #expect(try await account.send("/account/passkeys/\(id)/removal", from: "/account/passkeys/\(id)").status == 303)
            #expect(try await platform.count("passkey") == 0)
        }
    }
}
