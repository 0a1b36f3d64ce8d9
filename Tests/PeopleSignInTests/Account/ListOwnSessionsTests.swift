import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("List own sessions")
struct ListOwnSessionsTests {
    @Test("the page has the active sessions of the person, and marks the one of this browser")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, signedIn: 60)
            _ = try await account.otherBrowser(signedIn: 120)
            // A session without a use for 13 hours, and a session of another person.
            _ = try await account.otherBrowser(signedIn: 13 * 3600)
            _ = try await OwnAccount.make(platform, "Grace")
            let page = try await account.get("/account/sessions")
            #expect(page.body.matches(of: /<h2>/).count == 2 && page.body.contains("This browser") && page.body.contains("203.0.113.7"))
            #expect(page.body.matches(of: /\/account\/sessions\/personsession_[a-z0-9]+\/end/).count == 1)
            #expect(!page.body.contains("\(account.session)/end"))
        }
    }
}
