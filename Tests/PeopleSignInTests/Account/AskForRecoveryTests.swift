import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Ask for recovery")
struct AskForRecoveryTests {
    private static func ask(_ email: String, _ browser: TestBrowser) async throws -> TestBrowser.Answer {
        let page = try await browser.get("\(TestPlatform.publicURL)/account/recovery")
        return try await browser.sendForm("/account/recovery", [("email", email)], of: page)
    }

    @Test("a known and an unknown address get the same page, and only the known one gets a mail")
    func same() async throws {
        try await TestPlatform.runWithMail { platform, mails in
            let (account, browser) = (try await OwnAccount.make(platform), TestBrowser(platform))
            let clock = ContinuousClock()
            var (known, unknown): (TestBrowser.Answer?, TestBrowser.Answer?)
            let times = (
                try await clock.measure { known = try await Self.ask("ADA@example.com", browser) },
                try await clock.measure { unknown = try await Self.ask("nobody@example.com", browser) }
            )
            #expect(known?.status == 200 && unknown?.status == 200)
            func words(_ page: TestBrowser.Answer?, _ address: String) -> String {
                (page?.body ?? "").replacing(address, with: "x").replacing(/req_[a-z0-9]+/, with: "")
            }
            #expect(words(known, "ADA@example.com") == words(unknown, "nobody@example.com"))
            #expect(times.0 >= .milliseconds(400) && times.1 >= .milliseconds(400))
            #expect(try await mails.mail(to: account.email).link.hasPrefix("https://login.test/account/recovery/password?ticket="))
            #expect(mails.mails.count == 1)
            #expect(try await account.actions() == ["askForRecovery"])
        }
    }

    @Test("a network asks 5 times at once, an account gets 5 links per hour, and without a mail server the page names the operator")
    func limits() async throws {
        try await TestPlatform.runWithMail { platform, _ in
            let (_, browser) = (try await OwnAccount.make(platform), TestBrowser(platform))
            for number in 0..<6 {
                let answer = try await Self.ask("ada@example.com", browser)
                #expect(answer.status == (number < 5 ? 200 : 429))
            }
            #expect(try await platform.count("audit_event", where: "action = 'askForRecovery'") == 5)
        }
        try await TestPlatform.run { platform in
            let page = try await TestBrowser(platform).get("\(TestPlatform.publicURL)/account/recovery")
            #expect(page.status == 200 && page.body.contains("operator") && !page.body.contains("<form"))
        }
    }
}
