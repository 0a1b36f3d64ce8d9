import Access
import Foundation
import Pages
import People
import Postgres
import Server
import TestSupport
import Testing

@testable import PeopleSignIn

@Suite("List own sessions")
struct ListOwnSessionsTests {
    @Test("the page has the active sessions of the person, and marks the one of this browser")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let account = try await OwnAccount.make(platform, signedIn: 60)
            _ = try await account.otherBrowser(signedIn: 120)
            // A session without a use for 13 hours, and a session of another person.
            _ = try await account.otherBrowser(signedIn: 13 * 3600)
            _ = try await OwnAccount.make(platform, "Grace")
            let page = try await account.get("/account/sessions")
            #expect(page.body.matches(of: /<h2>/).count == 2 && page.body.contains("This browser") && page.body.contains("203.0.113.7"))
            #expect(page.body.matches(of: /\/account\/sessions\/personsession_[a-z0-9]+\/end/).count == 1)
            #expect(!page.body.contains("\(account.session)/end"))
            // The name of the button tells sessions of one address apart.
            let name = /aria-label="Sign out: Browser, 203\.0\.113\.7, \u{2066}\d{4}-\d\d-\d\d \d\d:\d\d UTC\u{2069}"/
            #expect(page.body.matches(of: name).count == 1)
            #expect(page.body.matches(of: /Last used on \u{2066}\d{4}-\d\d-\d\d \d\d:\d\d UTC\u{2069}</).count == 2)
            // An unknown program is shown as it describes itself.
            #expect(page.body.contains("<bdi>Test/1</bdi>"))
        }
    }

    @Test(
        "a browser has the name that people know",
        arguments: [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
                "Chrome on Windows"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0",
                "Edge on Windows"
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15",
                "Safari on Mac"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/142.0.0.0 Mobile/15E148 Safari/604.1",
                "Chrome on iPhone"
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36",
                "Chrome on Android"
            ),
            ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox on Linux"),
            ("espalierctl (laptop)", "espalierctl (laptop)"), ("Firefox/1", "Firefox/1"), ("<b>", "<b>"),
        ])
    func label(_ userAgent: String, _ label: String) {
        #expect(AccountRoutes.label(ofUserAgent: userAgent, in: .english) == label)
    }
}
