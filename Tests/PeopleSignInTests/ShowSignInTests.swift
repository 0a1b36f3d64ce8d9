import Foundation
import TestSupport
import Testing

@Suite("Show sign-in")
struct ShowSignInTests {
    @Test("the first page has a label, an autocomplete value, no script, and a policy for forms of this server only")
    func page() async throws {
        try await TestPlatform.run { platform in
            let page = try await PersonClient(platform).open("/sign-in")
            #expect(page.status == 200 && page.body.contains("<label for=\"email\">Email address</label>"))
            #expect(page.body.contains("autocomplete=\"username\"") && !page.body.contains("<script"))
            let policy = try #require(page.header("Content-Security-Policy"))
            #expect(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'") && !policy.contains("script-src"))
            #expect(page.header("Referrer-Policy") == "same-origin")
        }
    }

    @Test(
        "the sign-in leads only to a page of the account",
        arguments: [
            ("/account/keys", "/account/keys"), ("https://evil.test/", "/account"), ("//evil.test", "/account"),
            ("/account/../v1", "/account"), ("/account//evil.test", "/account"), ("/accounts", "/account"),
            ("/account/sign-in", "/account"),
            ("/account\u{0301}/x", "/account"), ("/account/x?y=1", "/account"),
        ])
    func again(_ path: String, _ place: String) async throws {
        try await TestPlatform.run { platform in
            var ada = PersonClient(platform)
            try await ada.register()
            ada.browser = TestBrowser(platform)
            let query = path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            _ = try await ada.open("/sign-in?again=\(query)")
            #expect(try await ada.signIn().location == place)
        }
    }

    @Test("a signed-in person who is asked for a new sign-in finds the way back to the account")
    func back() async throws {
        try await TestPlatform.run { platform in
            let page = try await OwnAccount.make(platform).get("/account/sign-in?again=/account/password")
            #expect(page.body.contains("This step needs a new sign-in") && page.body.contains("href=\"/account\""))
        }
    }
}
