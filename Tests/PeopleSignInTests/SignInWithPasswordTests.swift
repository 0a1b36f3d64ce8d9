import Foundation
import NIOHTTP1
import Postgres
import TestSupport
import Testing

@Suite("Sign in with password")
struct SignInWithPasswordTests {
    @Test("a password and a code make a session with a new cookie, and the audit trail has both")
    func signsIn() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let first = try #require(ada.secret)
            let done = try await ada.signIn()
            #expect(done.status == 303 && done.location == "/account" && done.header("Cache-Control") == "no-store")
            let cookie = try #require(done.headers["Set-Cookie"].first { $0.hasPrefix("\(PersonClient.cookie)=") })
            for part in ["Path=/", "HttpOnly", "Secure", "SameSite=Lax", "Max-Age=1209600"] { #expect(cookie.contains(part)) }
            #expect(ada.secret != first && ada.browser.cookies[PersonClient.stepCookie] == nil)
            #expect(try await platform.count("person_session") == 2)
            #expect(try await platform.count("person_session", where: "ended_reason = 'replaced'") == 1)
            #expect(try await platform.count("person_session", where: "methods = '{pwd,otp,mfa}'") == 2)
            #expect(try await platform.count("audit_event", where: "action = 'giveSecondFactor' AND actor = subject") == 1)
            // A right password resets the count of wrong ones.
            #expect(try await platform.count("person", where: "password_failures = 0 AND code_failures = 0") == 1)
        }
    }

    @Test("a wrong password and an unknown address get the same page, without the password")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            let stranger = PersonClient(platform)
            let wrong = try await stranger.givePassword("wrong password")
            let unknown = try await stranger.givePassword("wrong password", email: "bob@example.com")
            #expect(wrong.status == 400 && unknown.status == 400)
            #expect(wrong.body.contains("The address or the password is wrong.") && wrong.body.contains("role=\"alert\""))
            #expect(!wrong.body.contains("wrong password") && stranger.secret == nil)
            func same(_ answer: TestBrowser.Answer) -> String { answer.body.replacing("bob@example.com", with: "ada@example.com") }
            #expect(same(wrong) == same(unknown))
        }
    }
}
