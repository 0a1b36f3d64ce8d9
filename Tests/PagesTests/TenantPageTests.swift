import Foundation
import NIOHTTP1
import Pages
import Server
import TestSupport
import Testing
import Web

/// The pages that the server sends: their language, and the tenant that they belong to.
@Suite("Pages of a tenant")
struct TenantPageTests {
    private static func isIn(_ language: Language, _ page: TestBrowser.Answer, titled title: Text) -> Bool {
        page.header("Content-Language") == language.rawValue
            && page.body.contains("<html lang=\"\(language.rawValue)\" dir=\"\(language.isRightToLeft ? "rtl" : "ltr")\">")
            && page.body.contains("<title>\(language.text(title).escapedForHTML)</title>")
    }

    /// The address of a sign-in with other parameters.
    private static func url(_ request: TestBrowser.Request, _ changes: [(String, String)] = []) -> String {
        let kept = request.parameters.filter { parameter in !changes.contains { $0.0 == parameter.0 } }
        return TestBrowser.Request.url("\(request.tenant.issuer)/oauth2/authorize", kept + changes)
    }

    private static func isNamed(_ page: TestBrowser.Answer, _ name: String) -> Bool {
        page.body.contains("<header>\n<p><bdi>\(name.escapedForHTML)</bdi></p>")
    }

    @Test("every kind of page has the language of the browser", arguments: [Language.arabic, .german, .japanese, .traditionalChinese])
    func languages(_ language: Language) async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let issuer = platform.acme.issuer
            let name = try #require(try await platform.call("GET", "/tenants/acme").json["name"] as? String)
            func get(_ url: String) async throws -> TestBrowser.Answer {
                let accept = [("Accept-Language", "tlh, \(language.rawValue);q=0.9, en;q=0.8"), ("Accept", "text/html")]
                return try await browser.get(url, headers: accept)
            }
            for (url, status, title) in [
                (Self.url(request, [("redirect_uri", "https://evil.test")]), 400, Text.returnAddressIsNotRegistered),
                (Self.url(request, [("client_id", "x")]), 400, .unknownApplication), ("\(issuer)/device", 200, .signInOnADevice),
                ("\(issuer)/device/approval?state=x", 400, .requestCannotBeProcessed),
                ("\(issuer)/oauth2/logout", 200, .serverStoresNoSignIn),
            ] {
                let page = try await get(url)
                #expect(page.status == status && Self.isIn(language, page, titled: title), "\(url): \(page.status) \(page.body)")
                #expect(page.headers["Vary"].contains { $0.contains("Accept-Language") }, "\(url)")
                #expect(Self.isNamed(page, name), "\(url): \(page.body)")
            }
            let posted = try await get(Self.url(request, [("prompt", "none"), ("response_mode", "form_post")]))
            #expect(posted.status == 200 && Self.isIn(language, posted, titled: .backToTheApplication), "\(posted.body)")
            // No tenant is known here.
            for (url, status, title) in [
                ("\(TestPlatform.publicURL)/t/nobody/oauth2/authorize", 404, Text.signInPageNotFound),
                ("\(TestPlatform.publicURL)/nothing", 404, .noPageAtThisAddress), ("\(issuer)/oauth2/token", 405, .addressIsNotAPage),
            ] {
                let page = try await get(url)
                #expect(page.status == status && Self.isIn(language, page, titled: title), "\(url): \(page.status) \(page.body)")
                #expect(!page.body.contains("<header"), "\(url)")
            }
        }
    }

    @Test("the application chooses the language with ui_locales")
    func uiLocales() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let accept = [("Accept-Language", "fr")]
            let url = Self.url(request, [("redirect_uri", "https://evil.test"), ("ui_locales", "tlh pt-BR de")])
            let page = try await browser.get(url, headers: accept)
            #expect(Self.isIn(.portuguese, page, titled: .returnAddressIsNotRegistered) && page.header("Vary") == nil, "\(page.headers)")
            let changes = [("prompt", "none"), ("response_mode", "form_post"), ("ui_locales", "he")]
            let posted = try await browser.get(Self.url(request, changes), headers: accept)
            #expect(Self.isIn(.hebrew, posted, titled: .backToTheApplication), "\(posted.body)")
            // The application itself reads its errors in English.
            let refused = try await browser.get(Self.url(request, [("scope", "x"), ("ui_locales", "de")]), headers: accept)
            #expect(refused["error"] == "invalid_scope" && refused["error_description"]?.utf8.allSatisfy { $0 < 0x80 } == true)
        }
    }

    @Test("a suspended tenant has a page of its own, and a deleted one is unknown")
    func suspended() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            #expect(try await browser.authorize(request).status == 302)
            let name = try #require(try await platform.call("GET", "/tenants/acme").json["name"] as? String)
            #expect(try await platform.call("POST", "/tenants/acme/suspend").status == 200)
            try await eventually("the suspension is in effect") { try await browser.authorize(request).status == 404 }
            let page = try await browser.get(Self.url(request), headers: [("Accept-Language", "de")])
            #expect(page.status == 404 && Self.isIn(.german, page, titled: .signInIsSuspended) && Self.isNamed(page, name), "\(page.body)")
            #expect(try await platform.call("DELETE", "/tenants/acme?confirm=acme").status < 300)
            try await eventually("the tenant is unknown") {
                Self.isIn(.english, try await browser.get(Self.url(request)), titled: .signInPageNotFound)
            }
        }
    }
}
