import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show new passkey")
struct ShowNewPasskeyTests {
    @Test("each page has a challenge of its own, and a person with 20 passkeys gets no form")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let challenge = /&quot;challenge&quot;:&quot;([A-Za-z0-9_-]+)&quot;/
            let (first, second) = (try await account.get("/account/new-passkey"), try await account.get("/account/new-passkey"))
            #expect(first.status == 200)
            #expect(try #require(first.body.firstMatch(of: challenge)).1 != #require(second.body.firstMatch(of: challenge)).1)
            for _ in 0..<20 { try await account.addPasskeyRow() }
            let full = try await account.get("/account/new-passkey")
            #expect(full.status == 409 && full.body.contains("at most 20") && full.body.firstMatch(of: challenge) == nil)
        }
    }
}
