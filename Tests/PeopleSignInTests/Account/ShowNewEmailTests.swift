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
            // The browser of another person says so, and its sign-in has the address of the account.
            let grace = try await OwnAccount.make(platform, "Grace")
            let asked = try await grace.browser.get(link)
            #expect(asked.body.contains("you are signed in as <bdi>grace@example.com</bdi>. First sign in as <bdi>ada@example.com</bdi>."))
            #expect(try await grace.browser.sendForm("/account/email/confirmation", of: asked).location == "/account/sign-in")
            let signIn = try await grace.get("/account/sign-in")
            #expect(signIn.body.contains("value=\"ada@example.com\"") && !signIn.body.contains("grace@example.com"))
            #expect(try await account.signIn(in: grace.browser).location?.hasPrefix("/account/email/confirmation?ticket=") == true)
            #expect(try await grace.browser.get(link).body.contains(">Confirm</button>"))
            for text in ["", "x", "%E2%80%8D"] {
                let url = "\(TestPlatform.publicURL)/account/email/confirmation?ticket=\(text)"
                #expect(try await TestBrowser(platform).get(url).status == 404, "\(text)")
            }
        }
    }
}
