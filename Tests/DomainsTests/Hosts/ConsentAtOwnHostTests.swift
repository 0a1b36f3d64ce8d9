import Foundation
import Server
import TestSupport
import Testing

@Suite("Own hosts: an application of a third party")
struct ConsentAtOwnHostTests {
    /// Acme's first application at the host, which belongs to a third party.
    private static func run(
        _ settings: [String: any Sendable] = [:],
        _ body: @Sendable @escaping (OwnHost, TestBrowser, TestBrowser.Request) async throws -> Void
    ) async throws {
        try await OwnHost.run { own in
            let request = TestBrowser.Request(own.acme)
            let path = "/tenants/acme/applications/\(request.application.client_id)"
            #expect(try await own.platform.call("PATCH", path, settings.merging(["is_third_party": true]) { $1 }).status == 200)
            try await own.settle()
            try await body(own, own.browser(), request)
        }
    }

    /// Apple's response at the host, without the name.
    private static func page(_ browser: TestBrowser, _ request: TestBrowser.Request) async throws -> TestBrowser.Answer {
        let page = try await browser.signInWithoutName(request, person: "Ada Lovelace")
        #expect(page.asksForConsent(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
        return page
    }

    @Test("the page that asks after Apple's sheet is at the host; only a page of this origin sends its form, and only to this address")
    func asks() async throws {
        try await Self.run { own, browser, request in
            let form = try #require(TestBrowser.AppleForm(html: try await Self.page(browser, request).body))
            #expect(form.action == "/oauth2/consent")
            for (name, value) in [("Origin", TestPlatform.publicURL), ("Sec-Fetch-Site", "same-site")] {
                let foreign = try await browser.post(OwnHost.url + form.action, form: form.fields, headers: [(name, value)])
                #expect(foreign.isPage(400), "\(name) \(foreign.status)")
            }
            browser.cookies = browser.cookies(of: OwnHost.url)
            for path in ["", "/refusal", "/sign-in"] {
                let old = try await browser.post(own.platform.acme.issuer + form.action + path, form: form.fields)
                #expect(old.isPage(400), "\(path) \(old.status) \(old.location ?? "")")
            }
            #expect(try await own.platform.count("consent") == 0)

            let back = try await browser.post(
                OwnHost.url + form.action, form: form.fields, headers: [("Origin", OwnHost.url), ("Sec-Fetch-Site", "same-origin")])
            #expect(back["iss"] == OwnHost.url, "\(back.status) \(back.location ?? back.body)")
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            #expect(try claims(of: tokens.string("id_token"))["iss"] as? String == OwnHost.url)
            #expect(try await own.platform.count("consent") == 1)
        }
    }

    @Test("the form of a page at the old address is of no use at the host")
    func old() async throws {
        try await Self.run { own, browser, _ in
            let page = try await Self.page(browser, .init(own.platform.acme))
            let form = try #require(TestBrowser.AppleForm(html: page.body))
            #expect(form.action == "/t/acme/oauth2/consent")
            browser.set(browser.cookies, of: OwnHost.url)
            #expect(try await browser.post("\(OwnHost.url)/oauth2/consent", form: form.fields).isPage(400))
            #expect(try await browser.decide(.allow, on: page)["iss"] == own.platform.acme.issuer)
        }
    }

    @Test("the page for a missing name follows at the host, and belongs to it, too")
    func thenName() async throws {
        try await Self.run(["requires_name": true]) { own, browser, request in
            let consent = try #require(TestBrowser.AppleForm(html: try await Self.page(browser, request).body))
            let page = try await browser.post(OwnHost.url + consent.action, form: consent.fields)
            #expect(page.asksForName(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
            var form = try #require(TestBrowser.AppleForm(html: page.body))
            #expect(form.action == "/oauth2/name")
            (form["given_name"], form["family_name"]) = ("Ada", "Lovelace")
            browser.cookies = browser.cookies(of: OwnHost.url)
            #expect(try await browser.post(own.platform.acme.issuer + form.action, form: form.fields).isPage(400))
            let back = try await browser.post(OwnHost.url + form.action, form: form.fields, headers: [("Origin", OwnHost.url)])
            #expect(back["iss"] == OwnHost.url, "\(back.status) \(back.location ?? back.body)")
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            #expect(try claims(of: tokens.string("id_token"))["name"] as? String == "Ada Lovelace")
        }
    }

    @Test("another Apple Account signs in at the host")
    func otherAccount() async throws {
        try await Self.run { _, browser, request in
            let form = try #require(TestBrowser.AppleForm(html: try await Self.page(browser, request).body))
            let toApple = try await browser.post(OwnHost.url + form.action + "/sign-in", form: form.fields)
            #expect(toApple["redirect_uri"] == "\(OwnHost.url)/auth/apple/callback", "\(toApple.status) \(toApple.body)")
            let page = try await browser.callback(try await browser.atApple(toApple, person: "Grace Hopper"))
            #expect(page.asksForConsent(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
        }
    }
}
