import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Show new email")
struct ShowNewEmailTests {
    @Test("the page of the link names the account, and changes nothing; without a session, it leads to the sign-in")
    func shows() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let account = try await OwnAccount.make(platform)
            _ = try await account.send("/account/email", [("email", "ada@new.example")], from: "/account/email")
            let link = try await mails.mail(to: "ada@new.example").link
            for _ in 0..<2 {
                let page = try await TestBrowser(platform).get(link)
                #expect(
                    page.status == 200 && page.body.contains("Confirm your new address")
                        && page.header("Referrer-Policy") == "strict-origin")
                #expect(page.body.contains("<bdi>ada@example.com</bdi> asked for this address") && page.body.contains(">Sign in</button>"))
            }
            #expect(try await account.browser.get(link).body.contains(">Confirm</button>"))
            #expect(try await account.person().email == "ada@example.com")
            for text in ["", "x", "%E2%80%8D"] {
                let url = "\(TestPlatform.publicURL)/account/email/confirmation?ticket=\(text)"
                #expect(try await TestBrowser(platform).get(url).status == 404, "\(text)")
            }
        }
    }
}
