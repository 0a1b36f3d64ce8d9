import Access
import Foundation
import NIOHTTP1
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Page after a sign-in at Apple that did not succeed")
struct RetryPageTests {
    private static func run(_ use: String = "always", _ body: @Sendable @escaping (TestPlatform) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.call("PATCH", "/tenants/acme", ["sign_in_page": use]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            try await body(platform)
        }
    }

    private static func toApple(_ browser: TestBrowser, _ request: TestBrowser.Request, _ changes: [String: String?] = [:]) async throws
        -> TestBrowser.Answer
    {
        try await browser.get(request.authorizeURL(changing: changes.merging(["provider": "apple"]) { $1 }))
    }

    /// The user presses Cancel at Apple.
    private static func cancel(
        _ browser: TestBrowser, _ toApple: TestBrowser.Answer, of platform: TestPlatform
    ) async throws -> TestBrowser.Answer {
        let location = try #require(toApple.location)
        let state = try #require(URLComponents(string: location)?.queryItems?.first { $0.name == "state" }?.value)
        return try await browser.post(
            platform.acme.return_url, form: [("state", state), ("error", "user_cancelled_authorize")])
    }

    /// The addresses of the button and of the way back.
    private static func links(_ page: TestBrowser.Answer) throws -> (retry: String?, back: String?) {
        func link(_ pattern: Regex<(Substring, Substring)>) -> String? {
            page.body.firstMatch(of: pattern).map { $0.1.replacing("&amp;", with: "&") }.map { String($0) }
        }
        return (link(/<a class="apple" href="([^"]*)">/), link(/<p><a href="([^"]*)">/))
    }

    @Test("after a cancellation, the button signs the user in, and the other link takes the error to the application")
    func canceled() async throws {
        try await Self.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let page = try await Self.cancel(browser, try await Self.toApple(browser, request), of: platform)
            #expect(page.isPage(400, setsCookies: true) && page.body.contains("You canceled the sign-in"), "\(page.body)")
            let (retry, back) = try Self.links(page)
            let answer = TestBrowser.Answer(redirectingTo: try #require(back))
            #expect(answer.location?.hasPrefix(request.redirectURI) == true)
            #expect(answer["error"] == "access_denied" && answer["state"] == request.state && answer["iss"] == platform.acme.issuer)
            #expect(browser.cookies.count == 1)

            let toApple = TestBrowser.Answer(redirectingTo: try #require(retry))
            let signedIn = try await browser.callback(try await browser.atApple(toApple, person: "new"))
            #expect(signedIn["state"] == request.state)
            #expect(try await browser.redeem(try #require(signedIn["code"]), request).status == 200)
            #expect(browser.cookies.isEmpty)
        }
    }

    @Test("if Apple does not respond, the button works afterwards; if Apple refuses the settings, there is none and no reason")
    func failures() async throws {
        try await Self.run { platform in
            let cases: [([String: any Sendable], Int, String)] = [
                (["fault": "status", "status": 503], 503, "Apple does not respond"),
                (["fault": "malformed_json"], 400, "The sign-in did not finish"),
                (["fault": "error", "error": "invalid_grant"], 400, "The sign-in did not finish"),
                (["fault": "error", "error": "invalid_client"], 503, "Sign-in does not work at the moment"),
            ]
            for (fault, status, title) in cases {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                let own: [String: any Sendable] = ["endpoint": "token", "client_id": platform.own.servicesID, "times": 1]
                try await platform.simulator.fault(own.merging(fault) { $1 })
                let page = try await browser.callback(
                    try await browser.atApple(try await Self.toApple(browser, request), person: "new"))
                #expect(page.isPage(status, setsCookies: true) && page.body.contains("<h1>\(title)</h1>"), "\(page.body)")
                let (retry, back) = try Self.links(page)
                #expect(back != nil)
                guard title != "Sign-in does not work at the moment" else {
                    #expect(retry == nil && browser.cookies.isEmpty)
                    // The error for the application is in the other link. It does not have Apple's words either.
                    #expect(!page.body.contains("invalid_client") && !page.body.contains(platform.own.servicesID))
                    continue
                }
                let toApple = TestBrowser.Answer(redirectingTo: try #require(retry))
                let signedIn = try await browser.callback(try await browser.atApple(toApple, person: "new"))
                #expect(signedIn["code"] != nil)
            }
        }
    }

    @Test("without the choice always, the application gets the error, as it does if only it can act")
    func redirected() async throws {
        for use in ["never", "on_request"] {
            try await Self.run(use) { platform in
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
                let toApple = try await Self.toApple(browser, request)
                #expect(try await Self.cancel(browser, toApple, of: platform).reports(request, "access_denied"))
            }
        }
        try await Self.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let toApple = try await Self.toApple(browser, request, ["max_age": "0"])
            let back = try await browser.callback(try await browser.atApple(toApple, person: "Ada Lovelace"))
            #expect(back.location?.hasPrefix(request.redirectURI) == true)
        }
    }
}
