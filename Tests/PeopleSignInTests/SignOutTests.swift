import Foundation
import Postgres
import TestSupport
import Testing

@Suite("Sign out")
struct SignOutTests {
    @Test("a form without the token of the session ends nothing")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            for form in [[], [("csrf", "opaque")], [("csrf", "")]] as [[(String, String)]] {
                #expect(try await ada.browser.post("\(PersonClient.account)/sign-out", form: form).status == 400)
            }
            #expect(try await platform.count("person_session", where: "ended_at IS NULL") == 1)
            #expect(
                try await TestBrowser(platform).post("\(PersonClient.account)/sign-out", form: []).location?.hasPrefix("/account/sign-in")
                    == true)
        }
    }

    @Test("the session ends at once, and the cookie goes")
    func ends() async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register(as: "operator")
            // A page of the signed-in person, with the token of the session.
            let page = try await ada.open(try await ada.invite(as: "viewer"))
            let done = try await ada.send("/sign-out", [], from: page)
            #expect(done.location == "/account/sign-in?done=signed-out" && ada.secret == nil)
            #expect(try await platform.count("person_session", where: "ended_reason = 'sign_out'") == 1)
            #expect(try await platform.count("audit_event", where: "action = 'signOut'") == 1)
            #expect(
                try await ada.open("/sign-in?done=signed-out").body.contains("<p role=\"status\">You are signed out in this browser.</p>"))
        }
    }
}
