import Encoding
import Foundation
import NIOHTTP1
import Pages
import Server
@testable import SignIn
import Tenancy
import TestSupport
import Testing

/// `ui_locales` of a request decides the language of the pages that come later.
@Suite("Language of the pages of a sign-in")
struct PageLanguageTests {
    private static let accept = [("Accept-Language", "fr")]

    /// How the application sends its request.
    enum Way: CaseIterable {
        case query, post, push
    }

    private static func authorize(
        _ browser: TestBrowser, _ request: TestBrowser.Request, by way: Way, _ changes: [(String, String)]
    ) async throws -> TestBrowser.Answer {
        let parameters = request.parameters.filter { parameter in !changes.contains { $0.0 == parameter.0 } } + changes
        let endpoint = "\(request.tenant.issuer)/oauth2/authorize"
        switch way {
        case .query: return try await browser.get(TestBrowser.Request.url(endpoint, parameters), headers: accept)
        case .post: return try await browser.post(endpoint, form: parameters, headers: accept)
        case .push:
            let pushed = try await browser.post(
                "\(request.tenant.issuer)/oauth2/par", form: parameters + [("client_secret", request.application.client_secret ?? "")])
            let reference = [("client_id", request.application.client_id), ("request_uri", pushed.string("request_uri") ?? "")]
            return try await browser.get(TestBrowser.Request.url(endpoint, reference), headers: accept)
        }
    }

    private static func post(_ form: TestBrowser.AppleForm, _ browser: TestBrowser) async throws -> TestBrowser.Answer {
        try await browser.post(form.action, form: form.fields, headers: accept)
    }

    @Test("the page that asks for a name, also after a mistake, and the page after its form", arguments: Way.allCases)
    func name(_ way: Way) async throws {
        try await RequiredName.run { platform, browser, request in
            for (tags, language) in [("tlh de-AT", "de"), ("zh-TW", "zh-Hant"), ("tlh", "fr")] {
                let toApple = try await Self.authorize(browser, request, by: way, [("ui_locales", tags), ("response_mode", "form_post")])
                var form = try await browser.atApple(toApple, person: "new")
                form["user"] = nil
                let page = try await Self.post(form, browser)
                #expect(page.asksForName(setsCookies: true) && page.header("Content-Language") == language, "\(way) \(tags)")
                let again = try await browser.give("", on: page, headers: Self.accept)
                #expect(again.asksForName(400) && again.header("Content-Language") == language, "\(way) \(tags)")
                let back = try await browser.give("Ada", on: again, headers: Self.accept)
                #expect(back.status == 200 && back.header("Content-Language") == language, "\(way) \(tags) \(back.body)")
            }
        }
    }

    @Test("the page after a failure at Apple, and the one after its button", arguments: Way.allCases)
    func failure(_ way: Way) async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.call("PATCH", "/tenants/acme", ["sign_in_page": "always"]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let page = try await Self.authorize(browser, request, by: way, [("ui_locales", "ar")])
            #expect(page.header("Content-Language") == "ar")
            let button = try #require(page.body.firstMatch(of: /<a class="apple" href="([^"]*)">/)?.1).replacing("&amp;", with: "&")
            var location = try await browser.get("\(request.tenant.issuer)/oauth2/authorize\(button)", headers: Self.accept).location
            for _ in 0..<2 {
                let state = URLComponents(string: location ?? "")?.queryItems?.first { $0.name == "state" }?.value
                let failed = try await browser.post(
                    platform.acme.return_url, form: [("state", state ?? ""), ("error", "user_cancelled_authorize")], headers: Self.accept)
                #expect(failed.status == 400 && failed.header("Content-Language") == "ar", "\(way) \(failed.body)")
                let retry = failed.body.firstMatch(of: /<a class="apple" href="([^"]*)">/)?.1
                location = retry.map { String($0).replacing("&amp;", with: "&") }
            }
        }
    }

    @Test("the page of a request that is refused", arguments: [Way.query, .post])
    func refused(_ way: Way) async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let changes = [("ui_locales", "ja"), ("redirect_uri", "https://evil.test/")]
            let page = try await Self.authorize(browser, request, by: way, changes)
            #expect(page.isPage(400) && page.header("Content-Language") == "ja", "\(page.body)")
            let posted = [("ui_locales", "he"), ("prompt", "none"), ("response_mode", "form_post")]
            let back = try await Self.authorize(browser, request, by: way, posted)
            #expect(back.status == 200 && back.header("Content-Language") == "he", "\(back.body)")
        }
    }

    @Test("the page of a request that is refused before it is read")
    func unread() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let (here, nowhere) = ("\(request.tenant.issuer)/oauth2/authorize", "\(TestPlatform.publicURL)/t/nowhere/oauth2/authorize")
            let unknown = try await browser.post(nowhere, form: request.parameters + [("ui_locales", "he")], headers: Self.accept)
            #expect(unknown.isPage(404) && unknown.header("Content-Language") == "he")
            let expired = [
                ("client_id", request.application.client_id), ("request_uri", "urn:ietf:params:oauth:request_uri:x"), ("ui_locales", "he"),
            ]
            let page = try await browser.post(here, form: expired, headers: Self.accept)
            #expect(page.isPage(400) && page.header("Content-Language") == "he", "\(page.status) \(page.body)")
        }
    }

    @Test("a cookie's language is a part of the secret, so another one is another browser")
    func cookie() async throws {
        for language in [nil, "de", "zh-Hant"] as [String?] {
            let secret = AttemptCookie.secret(in: language.flatMap { .init(rawValue: $0) })
            #expect(AttemptCookie.language(in: secret)?.rawValue == language)
        }
        for text in ["", "x", "x.", "x.xx", "x.de.de", ".", "x.\u{600}de", "x.de\u{301}"] {
            #expect(AttemptCookie.language(in: text) == nil, "\(text)")
        }
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let toApple = try await browser.get(request.authorizeURL(changing: ["ui_locales": "de"]))
            let form = try await browser.atApple(toApple, person: "new")
            browser.cookies = browser.cookies.mapValues { $0.replacing(".de", with: ".fr") }
            #expect(try await browser.callback(form).isPage(400))
            #expect(try await platform.count("tenant_user") == 0)
        }
    }
}
