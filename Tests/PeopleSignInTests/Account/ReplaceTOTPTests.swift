import Access
import Foundation
import People
import Postgres
import Sealing
import Server
import TestSupport
import Testing

@testable import Factors

@Suite("Replace TOTP")
struct ReplaceTOTPTests {
    @Test("the first right code of the new app replaces the earlier one, which stays valid until then, and the person gets a mail")
    func replaces() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            _ = try await account.send("/account/recovery-codes", from: "/account/recovery-codes")
            let secret = "SELECT sealed_secret FROM person_totp" as SQL
            let earlier = try await platform.ownerPool.run(secret)[0].get("sealed_secret", as: [UInt8].self)
            #expect(try await account.get("/account/totp").body.contains("href=\"/account/new-totp\""))
            let page = try await account.get("/account/new-totp")
            let key = try AuthenticatorKey.shown(on: page)
            // The code of the earlier app is not one of the new app.
            let wrong = try await account.browser.sendForm("/account/new-totp", [("code", account.code())], of: page)
            #expect(wrong.status == 400 && wrong.body.contains("role=\"alert\""))
            #expect(try AuthenticatorKey.shown(on: wrong).bytes == key.bytes)
            #expect(try await platform.ownerPool.run(secret)[0].get("sealed_secret", as: [UInt8].self) == earlier)

            let code = String(decoding: key.code(at: AuthenticatorKey.step(at: Date())), as: UTF8.self)
            let replaced = try await account.browser.sendForm("/account/new-totp", [("code", code)], of: wrong)
            #expect(replaced.status == 303 && replaced.location == "/account")
            let row = try await platform.ownerPool.run(PersonTOTP.find(of: account.id))
            let totp = try #require(try row.first(PersonTOTP.init))
            #expect(try totp.secret(platform.settings.keyring).revealBytes() == key.bytes && totp.lastStep != nil)
            #expect(try await platform.count("person_totp") == 1)
            #expect(try await platform.count("recovery_code") == 10)
            // The new recovery codes had a mail of their own.
            _ = try await eventually("the mail arrives") {
                mails.mails.first { $0.recipient == account.email && $0.part("plain")?.contains("was replaced by another one") == true }
            }
            #expect(try await account.actions() == ["renewRecoveryCodes", "replaceTOTP"])
            // The same form again, and one of a page from before.
            for late in [wrong, page] {
                #expect(try await account.browser.sendForm("/account/new-totp", [("code", code)], of: late).location == "/account/totp")
            }
            #expect(try await account.actions().count == 2)
        }
    }

    @Test("it needs an app and a recent sign-in, and the key of the first app replaces none")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let old = try await OwnAccount.make(platform, signedIn: 700)
            #expect(try await old.get("/account/new-totp").location == "/account/sign-in?again=/account/new-totp")
            let account = try await OwnAccount.make(platform, "Grace", hasApp: false)
            #expect(try await account.get("/account/new-totp").location == "/account/totp")
            let first = try await account.get("/account/totp")
            let key = try AuthenticatorKey.shown(on: first)
            let code = String(decoding: key.code(at: AuthenticatorKey.step(at: Date())), as: UTF8.self)
            _ = try await account.browser.sendForm("/account/totp", [("code", code)], of: first)
            let sealed = try #require(first.body.firstMatch(of: /name="key" value="([^"]*)"/)).1
            let csrf = try #require(first.body.firstMatch(of: /name="csrf" value="([^"]*)"/)).1
            let answer = try await account.browser.post(
                "\(TestPlatform.publicURL)/account/new-totp", form: [("csrf", "\(csrf)"), ("key", "\(sealed)"), ("code", code)])
            #expect(answer.location == "/account/totp")
            #expect(try await account.actions() == ["enrollTOTP"])
        }
    }
}
