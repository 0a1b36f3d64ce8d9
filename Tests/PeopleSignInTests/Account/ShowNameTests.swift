import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show name")
struct ShowNameTests {
    @Test("the form has the current name, also after an old sign-in, and a person who is not signed in is led to the sign-in")
    func shows() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, signedIn: 3600)
            let page = try await account.get("/account/name")
            #expect(page.status == 200 && page.body.contains("value=\"Ada\"") && page.body.contains("action=\"/account/name\""))
            let answer = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/account/name")
            #expect(answer.location == "/account/sign-in?again=/account/name")
        }
    }
}
