import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("Logout by POST")
struct LogoutByPostTests {
    @Test("a posted form ends the session of its id_token and no other, and the browser returns with its state")
    func posted() async throws {
        try await TestPlatform.run { platform in
            let home = "https://app.test/bye"
            try await platform.change(platform.acme.applications[0], "logout_uris = '{\(home)}'")
            let (login, other) = (try await platform.login("Grace Hopper"), try await platform.login("Grace Hopper"))
            let answer = try await login.browser.post(
                "\(platform.acme.issuer)/oauth2/logout",
                form: [("id_token_hint", login.idToken), ("post_logout_redirect_uri", home), ("state", "a b")])
            #expect(answer.status == 303 && answer.location == "\(home)?state=a%20b", "\(answer.body)")
            #expect(try await login.isOver())
            #expect(try await other.lasts())
            #expect(try await platform.audited("session.logout").map(\.subject) == [login.session])
        }
    }

    @Test("a repeated field, an invalid id_token and an unknown tenant end no session")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            let url = "\(platform.acme.issuer)/oauth2/logout"
            let hint = ("id_token_hint", login.idToken)
            #expect(try await login.browser.post(url, form: [hint, hint]).isPage(400))
            _ = try await login.browser.post(url, form: [("id_token_hint", login.idToken + "x")])
            let unknown = "\(TestPlatform.publicURL)/t/initech/oauth2/logout"
            #expect(try await login.browser.post(unknown, form: [hint]).isPage(404))
            #expect(try await login.lasts())
        }
    }
}
