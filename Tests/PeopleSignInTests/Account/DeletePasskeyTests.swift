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
                try await account.confirm("/account/passkeys/\(id)/removal", from: "/account/passkeys/\(id)")
            }
            let question = try await account.send("/account/passkeys/\(first)/removal", from: "/account/passkeys/\(first)")
            #expect(question.status == 200 && question.body.contains("<h1>Remove this passkey?</h1>") && question.body.contains("Phone"))
            #expect(try await platform.count("passkey") == 2)
            #expect(try await delete(first).location == "/account/passkeys?done=removed")
            let list = try await account.get("/account/passkeys?done=removed").body
            #expect(list.contains("<p role=\"status\">The passkey is removed.") && list.contains("<title>The passkey is removed."))
            let notice = try #require(try await mails.mail(to: account.email).part("plain"))
            for text in ["A passkey was removed", "Name of the passkey: Phone", "127.0.0.1"] { #expect(notice.contains(text)) }
            // The last one is refused before the question.
            let refused = try await account.send("/account/passkeys/\(second)/removal", from: "/account/passkeys/\(second)")
            #expect(refused.status == 409 && refused.body.contains("second factor"))
            _ = try await platform.ownerPool.run("UPDATE person SET sealed_password = NULL, password_changed_at = NULL")
            let only = try await account.send("/account/passkeys/\(second)/removal", from: "/account/passkeys/\(second)")
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
            #expect(try await account.confirm("/account/passkeys/\(id)/removal", from: "/account/passkeys/\(id)").status == 303)
            #expect(try await platform.count("passkey") == 0)
        }
    }
}
