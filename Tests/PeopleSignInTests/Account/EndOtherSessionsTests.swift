import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("End other sessions")
struct EndOtherSessionsTests {
    @Test("all sessions end except the one of this browser, and those of other people")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, signedIn: 3600)
            let others = [try await account.otherBrowser(), try await account.otherBrowser()]
            let stranger = try await OwnAccount.make(platform, "Grace")
            #expect(try await account.send("/account/sessions/end", from: "/account/sessions").status == 303)
            for other in others { #expect(try await other.get("\(TestPlatform.publicURL)/account").status == 303) }
            #expect(try await account.get("/account").status == 200)
            #expect(try await stranger.get("/account").status == 200)
            #expect(try await account.actions() == ["endOtherSessions"])
        }
    }
}
