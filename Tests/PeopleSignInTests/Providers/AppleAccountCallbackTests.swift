import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Apple account callback")
struct AppleAccountCallbackTests {
    @Test("a connected Apple Account replaces the password, and the second factor follows")
    func signsIn() async throws {
        try await ApplePlatform.run { apple in
            let account = try await OwnAccount.make(apple.platform)
            _ = try await apple.link(account)
            let browser = TestBrowser(publicURL: apple.provider.root, address: apple.platform.address)
            let back = try await browser.get(try await apple.leave("/account/apple", from: "/account/sign-in", in: browser))
            #expect(back.status == 303 && back.location == "/account/sign-in/code", "\(back.body)")
            #expect(browser.cookies["espalier-account"] == nil)
            let page = try await browser.get("\(apple.provider.root)/account/sign-in/code")
            let signedIn = try await browser.sendForm("/account/sign-in/code", [("code", account.code())], of: page)
            #expect(signedIn.location == "/account" && browser.cookies["espalier-account"] != nil, "\(signedIn.body)")
        }
    }

    @Test("an Apple Account that nobody has connected signs nobody in, even with the address of an account")
    func unknown() async throws {
        try await ApplePlatform.run { apple in
            let account = try await OwnAccount.make(apple.platform)
            apple.provider.change(.init(claims: ["email": account.email]))
            let browser = TestBrowser(publicURL: apple.provider.root, address: apple.platform.address)
            let back = try await browser.get(try await apple.leave("/account/apple", from: "/account/sign-in", in: browser))
            #expect(back.status == 403 && browser.cookies["espalier-account"] == nil, "\(back.body)")
            #expect(back.body.contains("First sign in with your password") && back.body.contains("href=\"/account/sign-in\""))
            #expect(!back.body.contains("administrator"))
            #expect(try await apple.identities(of: account) == 0)
        }
    }

    @Test("a response connects nothing in the session of another person, without a session, or twice")
    func otherSession() async throws {
        try await ApplePlatform.run { apple in
            let (ada, grace) = (try await OwnAccount.make(apple.platform), try await OwnAccount.make(apple.platform, "Grace"))
            let url = try await apple.leave("/account/apple/link", from: "/account", in: ada.browser)
            #expect(try await grace.browser.get(url).status == 400)
            // An attacker who can plant the cookie of the attempt.
            grace.browser.cookies["espalier-account-provider"] = ada.browser.cookies["espalier-account-provider"]
            #expect(try await grace.browser.get(url).status == 400)
            // The attempt is used up.
            #expect(try await ada.browser.get(url).status == 400)
            #expect(try await apple.platform.count("person_identity") == 0)
        }
    }
}
