import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@testable import Factors

@Suite("Enroll TOTP")
struct EnrollTOTPTests {
    @Test("the first right code saves the key of the page, once, and the page shows recovery codes")
    func enrolls() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, hasApp: false)
            let page = try await account.get("/account/totp")
            #expect(page.body.contains("<svg") && page.body.contains("autocomplete=\"one-time-code\""))
            let wrong = try await account.browser.sendForm("/account/totp", [("code", "12345")], of: page)
            #expect(wrong.status == 400 && wrong.body.contains("role=\"alert\""))
            #expect(try await platform.count("person_totp") == 0)
            let key = try AuthenticatorKey.shown(on: page)
            // The page after a wrong code has the same key.
            #expect(try AuthenticatorKey.shown(on: wrong).bytes == key.bytes)
            let code = String(decoding: key.code(at: AuthenticatorKey.step(at: Date())), as: UTF8.self)
            let enrolled = try await account.browser.sendForm("/account/totp", [("code", code)], of: wrong)
            #expect(enrolled.status == 200 && enrolled.body.matches(of: /<code dir="ltr">/).count == 10)
            #expect(try await platform.count("person_totp", where: "confirmed_at IS NOT NULL AND last_step IS NOT NULL") == 1)
            #expect(try await platform.count("recovery_code") == 10)
            // The same form again.
            #expect(try await account.browser.sendForm("/account/totp", [("code", code)], of: wrong).status == 303)
            #expect(try await account.actions() == ["enrollTOTP"])
        }
    }

    @Test("the key of another session is not accepted")
    func otherSession() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, hasApp: false)
            let other = try await OwnAccount.make(platform, "Grace", hasApp: false)
            let (page, foreign) = (try await account.get("/account/totp"), try await other.get("/account/totp"))
            let key = try AuthenticatorKey.shown(on: foreign)
            func field(_ name: String, _ page: TestBrowser.Answer) throws -> String {
                String(try #require(page.body.matches(of: /name="([a-z]+)" value="([^"]*)"/).first { $0.1 == name }).2)
            }
            let code = String(decoding: key.code(at: AuthenticatorKey.step(at: Date())), as: UTF8.self)
            let answer = try await account.browser.post(
                "\(TestPlatform.publicURL)/account/totp",
                form: [("csrf", try field("csrf", page)), ("key", try field("key", foreign)), ("code", code)])
            #expect(answer.status == 303)
            #expect(try await platform.count("person_totp") == 0)
        }
    }
}
