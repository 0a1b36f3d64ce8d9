import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Sign in with passkey")
struct SignInWithPasskeyTests {
    @Test("a passkey alone makes a session, because the authenticator verified the person, and the counter is saved")
    func signsIn() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            var authenticator = SoftwareAuthenticator()
            authenticator.userHandle = withUnsafeBytes(of: try #require(try await ada.id()).uuid, Array.init)
            authenticator.signCount = 1
            try await ada.addPasskey(authenticator)
            ada.browser = TestBrowser(platform)
            let page = try await ada.open("/sign-in/passkey")
            #expect(page.header("Content-Security-Policy")?.contains("script-src 'sha256-") == true)
            #expect(page.body.contains("data-passkey=\"get\"") && page.body.contains("<noscript>"))
            authenticator.signCount = 2
            let done = try await ada.usePasskey(try authenticator.assertion(try #require(PersonClient.challenge(page))), from: page)
            #expect(done.status == 303 && done.location == "/account" && ada.secret != nil, "\(done.body)")
            #expect(try await platform.count("passkey", where: "sign_count = 2 AND last_used_at IS NOT NULL") == 1)
            #expect(try await platform.count("person_session", where: "methods = '{swk,user,mfa}'") == 1)
            let named = "action = 'signInWithPasskey' AND session_id = after->>'session'"
            #expect(try await platform.count("audit_event", where: named) == 1)
        }
    }
}
