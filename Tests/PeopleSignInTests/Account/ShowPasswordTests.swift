import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show password")
struct ShowPasswordTests {
    @Test("the form never has the password, and needs a new sign-in after 10 minutes")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform)
            let page = try await account.get("/account/password")
            #expect(page.status == 200 && page.body.contains("autocomplete=\"new-password\"") && !page.body.contains(OwnAccount.password))
            let old = try await OwnAccount.make(platform, "Grace", signedIn: 660)
            #expect(try await old.get("/account/password").location == "/account/sign-in?again=/account/password")
        }
    }
}
