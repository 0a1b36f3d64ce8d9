import Access
import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("Confirm identity")
struct ConfirmIdentityTests {
    @Test("a page names both accounts; its button returns a result to the application, and stores nothing")
    func confirmed() async throws {
        // The address does not matter here.
        try await Linking.run(["account_linking": "off"]) { linking in
            let platform = linking.platform
            let page = try await linking.confirmation(at: try await linking.requestAddress())
            #expect(linking.asksToConnect(page))
            // The user is named by the start of the address only, because other people could open the page.
            let user = "<bdi>b…@example.com</bdi>"
            for text in [linking.address, user] { #expect(page.body.contains(text), "\(text)") }
            #expect(!page.body.contains("First"))
            #expect(!page.body.contains("<script"))
            let back = try await linking.browser.press(page)
            #expect(back.status == 303 && back["state"] == "s" && back["iss"] == platform.acme.issuer, "\(back.status) \(back.body)")
            #expect(back["result"] != nil && back["code"] == nil)
            #expect(linking.browser.cookies.isEmpty)
            #expect(try await linking.identities() == 1)
            #expect(try await platform.count("tenant_user") == 1)
            #expect(try await platform.audited("completeOwnIdentity").isEmpty)
        }
    }

    @Test("a user without an address that Apple signed is named by the ID, and not by a name that a browser sent")
    func nameless() async throws {
        let changes: [SQL] = [
            "UPDATE tenant_user SET email = NULL, email_verified = false, given_name = 'Victim'",
            "UPDATE tenant_user SET email_verified = false, given_name = 'Victim'",
        ]
        for change in changes {
            try await Linking.run { linking in
                _ = try await linking.platform.ownerPool.run(change)
                try await linking.platform.claim("email", nil)
                let page = try await linking.confirmation(at: try await linking.requestAddress())
                #expect(linking.asksToConnect(page) && page.body.contains(linking.owner.user), "\(page.status) \(page.body)")
                for text in ["Victim", "your Apple Account", linking.address] { #expect(!page.body.contains(text), "\(text)") }
            }
        }
    }

    @Test("a browser that reloads the page repeats Apple's response, and shows the page again")
    func reloaded() async throws {
        try await Linking.run { linking in
            let toApple = try await linking.browser.get(try await linking.requestAddress())
            let form = try await linking.browser.atApple(toApple, person: linking.second)
            for _ in 0..<3 { #expect(linking.asksToConnect(try await linking.browser.callback(form))) }
            let back = try await linking.browser.press(try await linking.browser.callback(form))
            #expect(back["result"] != nil && linking.browser.cookies.isEmpty)
            #expect(try await linking.complete(back["result"] ?? "").status == 201)
        }
    }

    @Test("an Apple Account whose name does not fit into the page is added without it")
    func longName() async throws {
        try await Linking.run { linking in
            let toApple = try await linking.browser.get(try await linking.requestAddress())
            try await linking.platform.claim("email", "\(String(repeating: "a", count: 200))@example.com")
            var form = try await linking.browser.atApple(toApple, person: linking.second)
            let name = String(repeating: "👍🏽", count: 100)
            form["user"] = #"{"name":{"firstName":"\#(name)","lastName":"\#(name)"}}"#
            let page = try await linking.browser.callback(form)
            try #require(linking.asksToConnect(page), "\(page.status) \(page.location ?? page.body)")
            let back = try await linking.browser.press(page)
            #expect(try await linking.complete(back["result"] ?? "").status == 201)
        }
    }

    @Test("a form of another site, browser or kind of page, and an altered ticket, confirm nothing")
    func forged() async throws {
        try await Linking.run { linking in
            let page = try await linking.confirmation(at: try await linking.requestAddress())
            for headers in [[("Sec-Fetch-Site", "cross-site")], [("Origin", "https://evil.test")], [("Origin", "null")]] {
                #expect(try await linking.browser.press(page, headers: headers).isPage(400), "\(headers)")
            }
            #expect(try await linking.elsewhere.browser.press(page).isPage(400))
            for field in ["attempt", "ticket"] {
                for value in [nil, "", "x"] as [String?] {
                    #expect(try await linking.browser.press(page, replacing: [field: value]).isPage(400), "\(field)")
                }
            }
            // The page of another sign-in.
            let other = linking.elsewhere
            let question = try await other.page()
            let form = try #require(TestBrowser.AppleForm(html: question.body))
            let confirmed = try await other.browser.post(
                "\(linking.platform.acme.issuer)/oauth2/identities", form: form.fields)
            #expect(confirmed.isPage(400))
            #expect(try await linking.identities() == 1)
        }
    }
}
