import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("List passkeys")
struct ListPasskeysTests {
    @Test("the page has the passkeys of the person with their times, and no others")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let other = try await OwnAccount.make(platform, "Grace")
            let empty = try await account.get("/account/passkeys")
            #expect(empty.body.contains("You have no passkey.") && empty.body.contains("/account/new-passkey"))
            let (own, foreign) = (try await account.addPasskeyRow("Phone <1>"), try await other.addPasskeyRow("Key"))
            let page = try await account.get("/account/passkeys")
            #expect(page.status == 200 && page.body.contains("Phone &lt;1&gt;") && page.body.contains("/account/passkeys/\(own)"))
            #expect(!page.body.contains("You have no passkey."))
            #expect(
                page.body.contains("Added on") && page.body.contains("/account/new-passkey") && !page.body.contains(foreign.description))
        }
    }
}
