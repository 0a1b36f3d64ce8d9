import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Give second factor")
struct GiveSecondFactorTests {
    @Test("a recovery code replaces the app once")
    func recovery() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            let shown = try await ada.register()
            let codes = shown.body.matches(of: /<code dir="ltr">([A-Z-]{14})<\/code>/).map { String($0.1) }
            #expect(Set(codes).count == 10)
            #expect(try await ada.givePassword().location == "/account/sign-in/code")
            #expect(try await ada.giveCode(codes[0].lowercased().replacing("-", with: " ")).location == "/account?done=recovery-code")
            let told = try await ada.open("?done=recovery-code").body
            #expect(told.contains("<p role=\"status\">You have signed in with a recovery code, which no longer works. Unused codes: 9</p>"))
            #expect(told.contains("<p><a href=\"/account/recovery-codes\">Make new codes</a></p>"))
            #expect(try await platform.count("recovery_code", where: "used_at IS NOT NULL") == 1)
            #expect(try await ada.givePassword().location == "/account/sign-in/code")
            #expect(try await ada.giveCode(codes[0]).status == 400)
            let events = try await platform.audited("giveSecondFactor")
            #expect(events.map { $0.after["factor"] as? String } == ["recovery_code"])
            // No code is in the database.
            let text = codes[1].replacing("-", with: "")
            #expect(try await platform.count("recovery_code", where: "encode(digest, 'escape') LIKE '%\(text)%'") == 0)
        }
    }

    @Test("the events of a sign-in name its session and its factor")
    func session() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            ada.browser = TestBrowser(platform)
            #expect(try await ada.givePassword().location == "/account/sign-in/code")
            #expect(try await ada.giveCode(ada.code()).location == "/account")
            #expect(try await platform.audited("giveSecondFactor").map { $0.after["factor"] as? String } == ["authenticator"])
            for action in ["confirmAuthenticator", "giveSecondFactor"] {
                let named = "action = '\(action)' AND session_id = after->>'session'"
                #expect(try await platform.count("audit_event", where: named) == 1, "\(action)")
            }
            let first = "(SELECT session_id FROM audit_event WHERE action = 'confirmAuthenticator')"
            #expect(try await platform.count("audit_event", where: "action = 'acceptInvitation' AND session_id = \(first)") == 1)
        }
    }
}
