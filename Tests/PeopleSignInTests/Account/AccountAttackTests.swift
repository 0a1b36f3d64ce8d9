import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@testable import Factors

/// Attacks on the account of a signed-in person, and on its recovery.
@Suite("Attacks on the own account")
struct AccountAttackTests {
    /// The forms that change how a person signs in, or end a membership.
    private static let guarded = ["/email", "/password", "/totp", "/totp/removal", "/new-totp", "/recovery-codes", "/new-passkey"]

    @Test("CSRF: a form without the token, with that of another session, or from another origin changes nothing")
    func forgery() async throws {
        try await TestPlatform.run { platform in
            let (account, other) = (try await OwnAccount.make(platform), try await OwnAccount.make(platform, "Grace"))
            func token(_ account: OwnAccount) async throws -> String {
                String(try #require(try await account.get("/account/name").body.firstMatch(of: /name="csrf" value="([^"]*)"/)).1)
            }
            let (own, foreign) = (try await token(account), try await token(other))
            for path in Self.guarded + ["/name", "/sessions/end"] {
                let url = "\(TestPlatform.publicURL)/account\(path)"
                for sent in ["", "x", foreign] {
                    #expect(try await account.browser.post(url, form: [("csrf", sent), ("name", "Mallory")]).status == 400, "\(path)")
                }
                for headers in [
                    [("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")], [("Sec-Fetch-Site", "same-site")],
                ] {
                    #expect(try await account.browser.post(url, form: [("csrf", own)], headers: headers).status == 400, "\(path)")
                }
            }
            #expect(try await account.person().name == "Ada")
            #expect(try await account.actions().isEmpty)
        }
    }

    @Test("a GET changes nothing, however often")
    func reads() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let passkey = try await account.addPasskeyRow()
            func state() async throws -> [Int] {
                var counts: [Int] = []
                for table in [
                    "person", "person_session", "person_totp", "passkey", "recovery_code", "membership", "audit_event", "single_use",
                ] {
                    counts.append(try await platform.count(table))
                }
                return counts
            }
            let before = try await state()
            for _ in 0..<2 {
                for path in [
                    "", "/name", "/email", "/password", "/totp", "/passkeys", "/new-passkey", "/passkeys/\(passkey)", "/sessions",
                    "/new-totp", "/recovery-codes", "/recovery",
                    "/recovery/password", "/email/confirmation", "/sign-out", "/totp/removal", "/sessions/end",
                ] { _ = try await account.get("/account\(path)") }
            }
            #expect(try await state() == before)
        }
    }

    @Test("step-up: a sign-in of 11 minutes changes no factor, and one of 9 minutes does")
    func stepUp() async throws {
        try await TestPlatform.run { platform in
            let (old, young) = (
                try await OwnAccount.make(platform, signedIn: 660), try await OwnAccount.make(platform, "Grace", signedIn: 540)
            )
            let token = String(try #require(try await old.get("/account/name").body.firstMatch(of: /name="csrf" value="([^"]*)"/)).1)
            let passkey = try await old.addPasskeyRow()
            for path in Self.guarded + ["/passkeys/\(passkey)/removal"] {
                let form = [("csrf", token), ("password", "a quite different phrase"), ("confirmed", "yes")]
                let answer = try await old.browser.post("\(TestPlatform.publicURL)/account\(path)", form: form)
                #expect(answer.status == 303 && answer.location?.hasPrefix("/account/sign-in?again=/account") == true, "\(path)")
            }
            for path in ["/email", "/password", "/totp", "/new-passkey"] {
                #expect(try await old.get("/account\(path)").location == "/account/sign-in?again=/account\(path)")
                #expect(try await young.get("/account\(path)").status == 200)
            }
            #expect(try await old.actions().isEmpty)
            #expect(try await platform.count("passkey") == 1)
        }
    }

    @Test("a cookie from before a change of the password is dead, in every browser")
    func rotation() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let stolen = TestBrowser(platform)
            stolen.cookies = account.browser.cookies
            _ = try await account.send("/account/password", [("password", "a quite different phrase")], from: "/account/password")
            #expect(try await stolen.get("\(TestPlatform.publicURL)/account").status == 303)
            #expect(try await account.get("/account").status == 200)
        }
    }

    @Test("the mailed link alone sets no password, and five wrong codes end the guesses, also at the same time")
    func recovery() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let (browser, page) = try await account.openRecovery(mails)
            func send(_ code: String?) async throws -> Int {
                try await browser.sendForm(
                    "/account/recovery/password", [("password", "a quite different phrase")] + (code.map { [("code", $0)] } ?? []), of: page
                ).status
            }
            let before = try await account.person().passwordChangedAt
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for number in 0..<12 { tasks.addTask { try await send(number == 0 ? nil : "00000\(number % 10)x") } }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 400 }.count == 5 && statuses.filter { $0 == 429 }.count == 7)
            // Even the right code waits now.
            #expect(try await send(account.code()) == 429)
            #expect(try await account.person().passwordChangedAt == before)
        }
    }

    @Test("somebody who knows the password and gives wrong codes does not keep the owner of the mailbox from the recovery")
    func recoveryIsOpen() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            _ = try await platform.ownerPool.run("UPDATE person SET code_failures = 35, code_failed_at = now()")
            let (browser, page) = try await account.openRecovery(mails)
            let set = try await browser.sendForm(
                "/account/recovery/password", [("password", "a quite different phrase"), ("code", account.code())], of: page)
            #expect(set.status == 200, "\(set.body)")
            #expect(try await platform.count("person", where: "code_failures = 0 AND recovery_failures = 0") == 1)
        }
    }

    @Test("a recovery code works once, also at the same time, and a code of an earlier step of the app never")
    func replay() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            let shown = try await account.send("/account/recovery-codes", from: "/account/recovery-codes")
            let code = String(try #require(shown.body.firstMatch(of: /<code dir="ltr">([A-Z-]+)<\/code>/)).1)
            let (browser, page) = try await account.openRecovery(mails)
            @Sendable func send(_ code: String) async throws -> Int {
                try await browser.sendForm(
                    "/account/recovery/password", [("password", "a quite different phrase"), ("code", code)], of: page
                ).status
            }
            _ = try await platform.ownerPool.run("UPDATE person_totp SET last_step = \(AuthenticatorKey.step(at: Date()) + 1)")
            #expect(try await send(account.code()) == 400)
            async let (first, second) = (send(code), send(code))
            #expect(try await [first, second].filter { $0 == 200 }.count == 1)
            #expect(try await platform.count("recovery_code", where: "used_at IS NOT NULL") == 1)
        }
    }

    @Test("no log and no trail has a password, a code or a ticket, and no log has the address of a mail")
    func secrets() async throws {
        let log = RecordedLog()
        try await TestPlatform.runWithMail(log: log) { platform, mails in
            let account = try await OwnAccount.make(platform)
            let (browser, page) = try await account.openRecovery(mails)
            let ticket = String(try #require(page.body.firstMatch(of: /name="ticket" value="([^"]*)"/)).1)
            let code = account.code()
            let set = try await browser.sendForm(
                "/account/recovery/password", [("password", "a quite different phrase"), ("code", code)], of: page)
            #expect(set.status == 200)
            // Without the times and hashes, whose digits can equal a code by chance.
            let trail = try await platform.ownerPool.run(
                "SELECT concat_ws(' ', action, actor, subject, before::text, after::text) AS text FROM audit_event"
            ).map { try $0.get("text", as: String.self) }
            #expect(trail.contains { $0.contains("setNewPassword") } && log.text.contains("setNewPassword"))
            for secret in [ticket, code, "a quite different phrase", OwnAccount.password] {
                for text in trail + [log.text] { #expect(!text.contains(secret)) }
            }
            #expect(!log.text.contains(account.email))
        }
    }
}
