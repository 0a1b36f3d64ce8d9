import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show recovery")
struct ShowRecoveryTests {
    @Test("the page asks for an address without a sign-in, and without a mail server it has no form")
    func shows() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let url = "\(TestPlatform.publicURL)/account/recovery"
            let page = try await TestBrowser(platform).get(url)
            #expect(page.status == 200 && page.body.contains("Recover your account") && page.body.contains("action=\"/account/recovery\""))
            #expect(mails.mails.isEmpty && page.body.contains("<a href=\"/account/sign-in\">"))
            #expect(try await OwnAccount.make(platform, "Grace").get("/account/recovery").body.contains("Back to your account"))
            // The address of the sign-in that led here.
            let ada = PersonClient(platform)
            _ = try await ada.send("/sign-in", [("email", ada.email)], from: try await ada.open("/sign-in"))
            #expect(try await ada.open("/recovery").body.contains("value=\"ada@example.com\""))
            #expect(try await !ada.open("/sign-in").body.contains(ada.email))
            try await TestPlatform.run { silent in
                let answer = try await TestBrowser(silent).get(url)
                #expect(answer.status == 200 && answer.body.contains("sends no mail") && !answer.body.contains("<form"))
            }
        }
    }
}
