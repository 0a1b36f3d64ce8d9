import Access
import Foundation
import NIOHTTP1
import Server
@testable import SignIn
import Tenancy
import TestSupport
import Testing

@Suite("Sign-in page")
struct SignInPageTests {
    /// A browser at Acme, with settings of the tenant or of its first application.
    private struct Stage: Sendable {
        let platform: TestPlatform
        let browser: TestBrowser
        var request: TestBrowser.Request

        init(_ platform: TestPlatform) {
            (self.platform, browser) = (platform, TestBrowser(platform))
            request = TestBrowser.Request(platform.acme)
        }

        func set(_ members: [String: any Sendable], at path: String = "/tenants/acme") async throws {
            let answer = try await platform.call("PATCH", path, members)
            #expect(answer.status == 200, "\(answer.body)")
            platform.installation.directory.forgetAll(isFresh: true)
        }

        func setApplication(_ use: (any Sendable)?) async throws {
            try await set(
                ["sign_in_page": use ?? NSNull()], at: "/tenants/acme/applications/\(request.application.client_id)")
        }

        func ask(_ changes: [String: String?] = [:], headers: [(String, String)] = []) async throws -> TestBrowser.Answer {
            try await browser.get(request.authorizeURL(changing: changes), headers: headers)
        }

        func goesToApple(_ answer: TestBrowser.Answer) -> Bool {
            answer.status == 302 && answer.location?.hasPrefix(platform.simulator.url) == true
        }

        /// Follows the button of a page, which must have set no cookie.
        func press(_ page: TestBrowser.Answer) async throws -> TestBrowser.Answer {
            #expect(page.status == 200 && page.headers["Set-Cookie"].isEmpty)
            return try await browser.get("\(request.tenant.issuer)/oauth2/authorize\(try target(of: page))")
        }

        func target(of page: TestBrowser.Answer) throws -> String {
            let link = try #require(page.body.firstMatch(of: /<a class="apple" href="([^"]*)">/), "\(page.body)").1
            return String(link.replacing("&amp;", with: "&"))
        }

        func finish(_ toApple: TestBrowser.Answer) async throws {
            #expect(goesToApple(toApple))
            let back = try await browser.callback(try await browser.atApple(toApple, person: "new"))
            #expect(back["state"] == request.state)
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            #expect(tokens.status == 200)
        }
    }

    @Test("nobody sees it by default, and with on_request only a user whose request asks for it")
    func use() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform)
            let asking: [[String: String?]] = [
                ["prompt": "login"], ["prompt": "select_account"], ["prompt": "consent select_account"], ["screen_hint": "sign-up"],
                ["screen_hint": "x"],
            ]
            let others: [[String: String?]] = [[:], ["prompt": "consent"], ["screen_hint": ""]]
            for changes in asking + others { #expect(stage.goesToApple(try await stage.ask(changes))) }
            try await stage.set(["sign_in_page": "on_request"])
            for changes in asking { #expect(try await stage.ask(changes).status == 200, "\(changes)") }
            for changes in others { #expect(stage.goesToApple(try await stage.ask(changes)), "\(changes)") }
            try await stage.set(["sign_in_page": "always"])
            for changes in asking + others { #expect(try await stage.ask(changes).status == 200, "\(changes)") }
            for changes in asking + others {
                #expect(stage.goesToApple(try await stage.ask(changes.merging(["provider": "apple"]) { $1 })), "\(changes)")
            }
            #expect(try await stage.ask(["provider": "google"]).status == 200)
        }
    }

    @Test("an application can differ from its tenant in both directions")
    func application() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform)
            try await stage.setApplication("always")
            #expect(try await stage.ask().status == 200)
            try await stage.set(["sign_in_page": "always"])
            try await stage.setApplication("never")
            #expect(stage.goesToApple(try await stage.ask(["screen_hint": "sign-in"])))
            try await stage.setApplication(nil)
            #expect(try await stage.ask().status == 200)
        }
    }

    @Test("its button sends the same request again, and the user is signed in")
    func story() async throws {
        try await TestPlatform.run { platform in
            var stage = Stage(platform)
            try await stage.set(["sign_in_page": "always"])
            try await stage.finish(try await stage.press(try await stage.ask(["screen_hint": "sign-up", "ui_locales": "de"])))
            // The state stays the same, byte by byte.
            for separator in ["&", "=", "#", "+", "%", "<", "\"", "'", "\n", "\u{0}"] {
                for character in ["\u{600}", "\u{301}", "\u{200D}", ""] {
                    stage.request.state = "a\(character)\(separator)\(character)b"
                    let apple = try await stage.press(try await stage.ask())
                    let back = try await stage.browser.callback(try await stage.browser.atApple(apple, person: "Ada Lovelace"))
                    #expect(back["state"].map { Array($0.utf8) } == Array(stage.request.state.utf8))
                }
            }
        }
    }

    @Test("a posted and a pushed request stay out of the button's address, which works for an hour")
    func sealed() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform)
            try await stage.set(["sign_in_page": "always"])
            let url = "\(platform.acme.issuer)/oauth2/authorize"
            let posted = try await stage.browser.post(url, form: stage.request.parameters + [("ui_locales", "fr")])
            #expect(posted.body.contains(#"<html lang="fr""#))
            let pushed = try await stage.browser.post(
                "\(platform.acme.issuer)/oauth2/par",
                form: stage.request.parameters + [("client_secret", stage.request.application.client_secret ?? ""), ("ui_locales", "tr")])
            let reference = try #require(pushed.string("request_uri"), "\(pushed.body)")
            let client = ("client_id", stage.request.application.client_id)
            let page = try await stage.browser.get(TestBrowser.Request.url(url, [client, ("request_uri", reference)]))
            #expect(page.body.contains(#"<html lang="tr""#))
            for page in [posted, page] {
                let target = try stage.target(of: page)
                #expect(!target.contains(stage.request.state) && !target.contains("redirect_uri") && !target.contains(reference))
                try await stage.finish(try await stage.press(page))
            }

            // The button outlives the pushed request, and a reload of its address without `provider` does not renew it.
            let uri = try #require(URLComponents(string: try stage.target(of: page))?.queryItems?.first { $0.name == "request_uri" }?.value)
            let keyring = platform.settings.keyring
            let start = Date()
            func opens(_ uri: String, after seconds: TimeInterval) -> Bool {
                (try? PushedRequest(opening: uri, with: keyring, at: start.addingTimeInterval(seconds))) != nil
            }
            #expect(opens(reference, after: 30) && !opens(reference, after: 61))
            #expect(opens(uri, after: 3590) && !opens(uri, after: 3601))
            let opened = try #require((try? PushedRequest(opening: uri, with: keyring, at: start.addingTimeInterval(3000))))
            let again = try #require(opened.onPage(at: start.addingTimeInterval(3000)).uri(with: keyring))
            #expect(opens(again, after: 3590) && !opens(again, after: 3601))

            // A request that is too long to be sealed goes straight to Apple.
            let long = stage.request.parameters.map { $0.0 == "state" ? ("state", String(repeating: "s", count: 4096)) : $0 }
            #expect(stage.goesToApple(try await stage.browser.post(url, form: long)))
        }
    }

    @Test("it shows the tenant's brand, the application and Apple's button in the user's language, and names as text")
    func content() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform)
            try await stage.set(["sign_in_page": "always"])
            let links = ["terms_url": "https://acme.example/terms", "privacy_url": "https://acme.example/privacy"]
            try await stage.set(links.merging(["display_name": "Acme <b>", "default_language": "ja"]) { $1 }, at: "/tenants/acme/branding")
            try await stage.set(
                ["name": "Shop \u{202E}<i>&amp;"], at: "/tenants/acme/applications/\(stage.request.application.client_id)")
            let german = try await stage.ask(headers: [("Accept-Language", "de-AT")])
            #expect(german.header("Content-Language") == "de" && german.header("Cache-Control") == "no-store")
            #expect(german.body.contains("Bei <bdi>Shop \u{202E}&lt;i&gt;&amp;amp;</bdi> anmelden"), "\(german.body)")
            #expect(german.body.contains("Acme &lt;b&gt;") && german.body.contains("https://acme.example/terms"))
            #expect(german.body.contains("alt=\"Mit Apple anmelden\""))
            #expect(try await stage.ask().header("Content-Language") == "ja")
            // Each image of the button exists.
            for use in [[:], ["screen_hint": "signup"], ["prompt": "select_account"]] as [[String: String?]] {
                let page = try await stage.ask(use.merging(["ui_locales": "he"]) { $1 })
                #expect(page.body.contains(#"<html lang="he" dir="rtl""#))
                let images = page.body.matches(of: /(?:src|srcset)="(\/button\.svg[^"]*)"/).map {
                    String($0.1.replacing("&amp;", with: "&"))
                }
                #expect(images.count == 2)
                for image in images {
                    let answer = try await stage.browser.get("\(TestPlatform.publicURL)\(image)")
                    #expect(answer.status == 200 && answer.header("Content-Type") == "image/svg+xml; charset=utf-8", "\(image)")
                }
            }
            // Its policy permits no script, and no page can frame it.
            let policy = german.header("Content-Security-Policy") ?? ""
            #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'") && !policy.contains("script-src"))
            #expect(try await stage.ask(headers: [("Sec-Fetch-Dest", "iframe")]).isPage(400))
        }
    }

    @Test("a request that cannot succeed gets its error and not the page")
    func errors() async throws {
        try await TestPlatform.run { platform in
            let stage = Stage(platform)
            try await stage.set(["sign_in_page": "always"])
            #expect(try await stage.ask(["redirect_uri": "https://evil.test/"]).isPage(400))
            #expect(try await stage.ask(["prompt": "none"]).reports(stage.request, "login_required"))
            #expect(try await stage.ask(["response_type": "token"]).reports(stage.request, "unsupported_response_type"))
        }
    }
}
