import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show passkey")
struct ShowPasskeyTests {
    @Test("the page renames and removes a passkey; that of another person and an unknown one are not found")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let other = try await OwnAccount.make(platform, "Grace")
            let (own, foreign) = (try await account.addPasskeyRow(), try await other.addPasskeyRow("Key"))
            let page = try await account.get("/account/passkeys/\(own)")
            #expect(page.status == 200 && page.body.contains("<h1>Your passkey</h1>"))
            #expect(page.body.contains("/\(own)/name\"") && page.body.contains("/\(own)/removal\""))
            for id in [foreign.description, "\(ID<PersonPasskey>(at: Date()))", "x"] {
                #expect(try await account.get("/account/passkeys/\(id)").location == "/account/passkeys", "\(id)")
            }
        }
    }
}
