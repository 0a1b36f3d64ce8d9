import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("End own session")
struct EndOwnSessionTests {
    @Test("one session ends, and a session of another person stays")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, signedIn: 3600)
            let other = try await account.otherBrowser()
            let stranger = try await OwnAccount.make(platform, "Grace")
            let page = try await account.get("/account/sessions")
            let path = String(try #require(page.body.firstMatch(of: /action="(\/account\/sessions\/[a-z0-9_]+\/end)"/)).1)
            #expect(try await account.browser.sendForm(path, of: page).status == 303)
            #expect(try await other.get("\(TestPlatform.publicURL)/account").status == 303)
            #expect(try await account.get("/account").status == 200)
            let csrf = String(try #require(page.body.firstMatch(of: /name="csrf" value="([^"]*)"/)).1)
            _ = try await account.browser.post(
                "\(TestPlatform.publicURL)/account/sessions/\(stranger.session)/end", form: [("csrf", csrf)])
            #expect(try await stranger.get("/account").status == 200)
            #expect(try await account.actions() == ["endOwnSession"])
        }
    }
}
