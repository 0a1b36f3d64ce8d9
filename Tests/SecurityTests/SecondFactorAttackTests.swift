import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// An attacker knows the password of a person, and not the second factor.
@Suite("Attack: second factors")
struct SecondFactorAttackTests {
    @Test("a code works once, also for two requests at the same time")
    func totpReplay() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let code = ada.code()
            let statuses = try await withThrowingTaskGroup(of: Int.self) { [ada] tasks in
                for _ in 0..<2 {
                    tasks.addTask {
                        var thief = ada
                        thief.browser = TestBrowser(platform)
                        _ = try await thief.givePassword()
                        return try await thief.giveCode(code).status
                    }
                }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [303, 400])
            _ = try await ada.givePassword()
            #expect(try await ada.giveCode(code).status == 400)
        }
    }

    @Test("the code of the enrollment is used")
    func enrollmentReplay() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register(forgetsStep: false)
            _ = try await ada.givePassword()
            let step = try await platform.ownerPool.run("SELECT last_step FROM person_totp")[0].get("last_step", as: Int64.self)
            #expect(try await ada.giveCode(ada.code(ofStep: step)).status == 400)
        }
    }

    @Test("after 5 wrong codes, not even the right one is checked")
    func totpBruteForce() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            ada.browser = TestBrowser(platform)
            _ = try await ada.givePassword()
            let page = try await ada.open("/sign-in/code")
            for guess in ["", "12345", "1234567", "٠٠٠٠٠٠", "12345\u{0301}6"] {
                #expect(try await ada.send("/sign-in/code", [("code", guess)], from: page).status == 400)
            }
            let limited = try await ada.send("/sign-in/code", [("code", ada.code())], from: page)
            #expect(limited.status == 429 && ada.secret == nil)
            #expect(Int(limited.header("Retry-After") ?? "").map((890...900).contains) == true)
        }
    }

    @Test("guesses of codes have an end: the wait doubles until a right code, and the person gets one mail")
    func endlessGuesses() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                var ada = PersonClient(platform)
                try await ada.register()
                let thief = PersonClient(platform)
                _ = try await thief.givePassword()
                let page = try await thief.open("/sign-in/code")
                for wait in [900, 1800] {
                    for _ in 0..<5 { #expect(try await thief.send("/sign-in/code", [("code", "12345")], from: page).status == 400) }
                    let limited = try await thief.send("/sign-in/code", [("code", "12345")], from: page)
                    #expect(limited.status == 429)
                    #expect(Int(limited.header("Retry-After") ?? "").map((wait - 10...wait).contains) == true)
                    // The time passes.
                    _ = try await platform.ownerPool.run(
                        "UPDATE person SET code_failed_at = code_failed_at - make_interval(secs => \(Double(wait)))")
                }
                _ = try await eventually("the mail arrives") {
                    mails.mails.first { $0.recipient == ada.email && $0.part("plain")?.contains("5 wrong codes") == true }
                }
                #expect(mails.mails.filter { $0.part("plain")?.contains("5 wrong codes") == true }.count == 1)
                ada.browser = TestBrowser(platform)
                #expect(try await ada.signIn().location == "/account")
                #expect(try await platform.count("person", where: "code_failures = 0") == 1)
            }
        }
    }

    @Test("a code from before the last minute, or from the future, is wrong")
    func oldStep() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            _ = try await ada.givePassword()
            for offset in [Int64(-3), 3] { #expect(try await ada.giveCode(ada.code(offset)).status == 400) }
        }
    }

    @Test("the step after a right password does not count as a session")
    func skipSecondFactor() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register(as: "operator")
            ada.browser = TestBrowser(platform)
            let sessions = try await platform.count("person_session")
            _ = try await ada.givePassword()
            let step = try #require(ada.browser.cookies[PersonClient.stepCookie])
            ada.browser.cookies[PersonClient.cookie] = step
            for path in ["", "/sessions", "/api-keys", "/passkeys", "/totp"] {
                let answer = try await ada.open(path)
                #expect(answer.location?.hasPrefix("/account/sign-in") == true, "\(path): \(answer.status)")
            }
            let link = try await ada.invite(as: "viewer")
            #expect(try await ada.open(link).body.contains("An account with this address exists."))
            #expect(try await ada.open("/sign-in/authenticator").location == "/account/sign-in")
            #expect(try await platform.count("person_session") == sessions)
        }
    }

    @Test("a new password, which needs no factor, does not make an old sign-in recent")
    func renewedStepUp() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            _ = try await platform.ownerPool.run("UPDATE person_session SET authenticated_at = authenticated_at - interval '9 minutes'")
            let changed = try await ada.send("/password", [("password", "a quite different phrase")], from: try await ada.open("/password"))
            #expect(changed.status == 303 && changed.location == "/account?done=password")
            #expect(try await platform.count("person_session", where: "ended_at IS NULL") == 1)
            #expect(
                try await platform.count(
                    "person_session", where: "ended_at IS NULL AND authenticated_at < created_at - interval '8 minutes'") == 1)
        }
    }

    @Test("a change of the password ends the sign-ins that are not finished")
    func changedPassword() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            _ = try await ada.givePassword()
            _ = try await platform.ownerPool.run("UPDATE person SET password_changed_at = now() + interval '1 second'")
            #expect(try await ada.giveCode(ada.code()).location == "/account/sign-in")
        }
    }

    @Test("a recovery code works once, also for two requests at the same time")
    func recoveryCodeTwice() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            let code = try Self.recoveryCode(in: try await ada.register())
            let statuses = try await withThrowingTaskGroup(of: Int.self) { [ada] tasks in
                for _ in 0..<2 {
                    tasks.addTask {
                        var thief = ada
                        thief.browser = TestBrowser(platform)
                        _ = try await thief.givePassword()
                        return try await thief.giveCode(code).status
                    }
                }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.sorted() == [303, 400])
            #expect(try await platform.count("recovery_code", where: "used_at IS NOT NULL") == 1)
            ada.browser = TestBrowser(platform)
            _ = try await ada.givePassword()
            for again in [code, code.lowercased(), code.replacing("-", with: "")] { #expect(try await ada.giveCode(again).status == 400) }
            #expect(ada.secret == nil)
        }
    }

    @Test("after 5 guessed recovery codes, the right one waits, too")
    func recoveryCodeGuess() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            let code = try Self.recoveryCode(in: try await ada.register())
            ada.browser = TestBrowser(platform)
            _ = try await ada.givePassword()
            let page = try await ada.open("/sign-in/code")
            for letter in "BCDFGH".filter({ $0 != code.last }).prefix(5) {
                #expect(try await ada.send("/sign-in/code", [("code", code.dropLast() + "\(letter)")], from: page).status == 400)
            }
            let limited = try await ada.send("/sign-in/code", [("code", code)], from: page)
            #expect(limited.status == 429 && ada.secret == nil)
            #expect(try await platform.count("recovery_code", where: "used_at IS NOT NULL") == 0)
        }
    }

    @Test("the person gets a mail when somebody adds an app, or renews or uses recovery codes")
    func silentFactors() async throws {
        try await TestMailServer.run { mails async throws in
            let settings = try mails.settings()
            try await TestPlatform.run({ $0.mail = settings }) { platform in
                var ada = PersonClient(platform)
                try await ada.register()
                func expectMail(_ text: String) async throws {
                    _ = try await eventually("the mail arrives: \(text)") {
                        mails.mails.first { $0.recipient == "ada@example.com" && $0.part("plain")?.contains(text) == true }
                    }
                }
                let csrf = TestBrowser.AppleForm(html: try await ada.open("").body)?["csrf"] ?? ""
                let renewed = try await ada.browser.post(
                    PersonClient.account + "/recovery-codes", form: [("csrf", csrf)], headers: [("Origin", TestPlatform.publicURL)])
                try await expectMail("has new recovery codes")
                _ = try await ada.givePassword()
                #expect(try await ada.giveCode(try Self.recoveryCode(in: renewed)).location == "/account?done=recovery-code")
                try await expectMail("A recovery code of your account")
                _ = try await platform.ownerPool.run(["DELETE FROM person_totp", "DELETE FROM recovery_code"])
                var thief = PersonClient(platform)
                #expect(try await thief.givePassword().location == "/account/sign-in/authenticator")
                #expect(try await thief.enroll().status == 200)
                try await expectMail("An authenticator app was added")
            }
        }
    }

    private static func recoveryCode(in page: TestBrowser.Answer) throws -> String {
        String(try #require(page.body.firstMatch(of: /<code dir="ltr">([A-Z0-9-]+)<\/code>/)).1)
    }
}
