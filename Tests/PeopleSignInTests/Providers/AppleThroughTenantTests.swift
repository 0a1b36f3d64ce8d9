import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// People sign in with Apple through Globex, a tenant of the same installation, and the simulator of Apple.
@Suite("Apple through a tenant")
struct AppleThroughTenantTests {
    /// An installation whose public URL is the address of the server, because the server asks itself for the documents and the tokens of
    /// Globex.
    private struct Installed: Sendable {
        let platform: TestPlatform
        /// People with an Apple Account. The tests share the simulator, so they have names of their own.
        let ada = "Ada \(UUID())"
        let eve = "Eve \(UUID())"
        var root: String { platform.settings.publicURL }
        var browser: TestBrowser { TestBrowser(publicURL: root, address: platform.address) }

        /// Presses a button that leads to Apple, and agrees there.
        /// - Returns: the response to the callback of the account.
        func leave(_ path: String, from page: String, as person: String, in browser: TestBrowser) async throws -> TestBrowser.Answer {
            let answer = try await browser.sendForm(path, of: try await browser.get(root + page))
            let refresh = try #require(answer.header("Refresh"), "\(answer.status) \(answer.location ?? answer.body)")
            let toGlobex = String(refresh.dropFirst("0; url=".count))
            #expect(toGlobex.hasPrefix("\(root)/t/globex/oauth2/authorize?"))
            let form = try await browser.atApple(try await browser.get(toGlobex), person: person)
            let back = try await browser.callback(form)
            let callback = try #require(back.location, "\(back.status) \(back.body)")
            #expect(callback.hasPrefix("\(root)/account/apple/callback?"), "\(callback)")
            return try await browser.get(callback)
        }
    }

    private static func run(_ body: @Sendable @escaping (Installed) async throws -> Void) async throws {
        let (port, application) = (FreePorts.take(), ID<Tenancy.Application>(at: Date()))
        let root = "http://127.0.0.1:\(port)"
        try await TestPlatform.run({ settings in
            (settings.publicURL, settings.port) = (root, port)
            settings.platformApplication = ("globex", application.description)
        }) { platform in
            try await platform.simulator.send(
                .PUT, "/simulator/services-ids/\(platform.shared.servicesID)",
                ["team": platform.shared.team, "display_name": "Test", "return_urls": ["\(root)/auth/apple/callback"]])
            let tenant = try #require(ID<Tenant>(platform.globex.id))
            let accounts = Tenancy.Application(
                application, kind: .spa, name: "Accounts", redirectURIs: ["\(root)/account/apple/callback"], at: Date())
            _ = try await platform.ownerPool.run(accounts.insert(tenant: tenant))
            let installed = Installed(platform: platform)
            for name in [installed.ada, installed.eve] {
                try await platform.simulator.send(
                    .POST, "/simulator/people", ["name": name, "email": "\(UUID().uuidString.lowercased())@example.com"])
            }
            try await body(installed)
        }
    }

    @Test("a person connects an Apple Account, signs in with it and a code of the app, also again for a change, and disconnects it")
    func story() async throws {
        try await Self.run { installed in
            let account = try await OwnAccount.make(installed.platform)
            let linked = try await installed.leave("/account/apple/link", from: "/account", as: installed.ada, in: account.browser)
            #expect(linked.status == 303 && linked.location == "/account?done=apple-connected", "\(linked.status) \(linked.body)")

            let browser = installed.browser
            let first = try await installed.leave("/account/apple", from: "/account/sign-in", as: installed.ada, in: browser)
            #expect(first.location == "/account/sign-in/code", "\(first.status) \(first.body)")
            #expect(browser.cookies["espalier-account"] == nil)
            let page = try await browser.get("\(installed.root)/account/sign-in/code")
            let signedIn = try await browser.sendForm("/account/sign-in/code", [("code", account.code())], of: page)
            #expect(signedIn.location == "/account" && browser.cookies["espalier-account"] != nil, "\(signedIn.body)")

            // Globex signs the person in again, because the step needs it (`max_age`).
            let again = try await installed.leave(
                "/account/apple", from: "/account/sign-in?again=/account", as: installed.ada, in: browser)
            #expect(again.location == "/account/sign-in/code", "\(again.status) \(again.body)")

            #expect(try await browser.get("\(installed.root)/account").body.contains("/account/apple/removal"))
            let asked = try await browser.sendForm("/account/apple/removal", of: try await browser.get("\(installed.root)/account"))
            let removed = try await browser.sendForm("/account/apple/removal", of: asked)
            #expect(removed.location == "/account?done=apple-disconnected", "\(removed.status) \(removed.body)")
            #expect(try await account.actions() == ["linkApple", "giveSecondFactor", "unlinkApple"])
            #expect(try await installed.platform.count("person_identity") == 0)
        }
    }

    @Test("another Apple Account signs nobody in")
    func unknown() async throws {
        try await Self.run { installed in
            let account = try await OwnAccount.make(installed.platform)
            _ = try await installed.leave("/account/apple/link", from: "/account", as: installed.ada, in: account.browser)
            let browser = installed.browser
            let back = try await installed.leave("/account/apple", from: "/account/sign-in", as: installed.eve, in: browser)
            #expect(back.status == 403 && browser.cookies["espalier-account"] == nil, "\(back.status) \(back.body)")
            #expect(try await installed.platform.count("person_identity") == 1)
        }
    }
}
