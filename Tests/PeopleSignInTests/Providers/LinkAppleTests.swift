import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Link Apple")
struct LinkAppleTests {
    @Test("the own account connects an Apple Account, and says so")
    func links() async throws {
        try await ApplePlatform.run { apple in
            let account = try await OwnAccount.make(apple.platform)
            // A saved link confirms nothing.
            #expect(try await !account.get("/account?done=apple-connected").body.contains("Your Apple Account is connected."))
            let back = try await apple.link(account)
            #expect(back.status == 303 && back.location == "/account?done=apple-connected", "\(back.body)")
            let page = try await account.get("/account?done=apple-connected")
            #expect(page.body.contains("Your Apple Account is connected."))
            #expect(try await !account.get("/account?done=apple-disconnected").body.contains("Your Apple Account is disconnected."))
            #expect(page.body.contains("/account/apple/removal") && !page.body.contains("/account/apple/link"))
            #expect(try await apple.identities(of: account) == 1)
            #expect(try await account.actions() == ["linkApple"])
        }
    }

    @Test("an Apple Account belongs to one person")
    func taken() async throws {
        try await ApplePlatform.run { apple in
            let (ada, grace) = (try await OwnAccount.make(apple.platform), try await OwnAccount.make(apple.platform, "Grace"))
            _ = try await apple.link(ada)
            #expect(try await apple.link(grace).location == "/account?done=apple-taken")
            #expect(try await grace.get("/account?done=apple-taken").body.contains("belongs to somebody else"))
            #expect(try await apple.identities(of: grace) == 0)
        }
    }

    @Test("an old sign-in leads to a new one, and without the settings there is no form")
    func refuses() async throws {
        try await ApplePlatform.run { apple in
            let account = try await OwnAccount.make(apple.platform, signedIn: 3600)
            let answer = try await account.send("/account/apple/link", from: "/account")
            #expect(answer.location == "/account/sign-in?again=/account")
        }
        try await TestPlatform.run { platform in
            let page = try await OwnAccount.make(platform).get("/account")
            #expect(!page.body.contains("/account/apple"))
        }
    }
}
