import Access
import Domains
import Encoding
import Foundation
import Postgres
import Tenancy
import TestSupport
import Testing

@testable import Server

@Suite("Own hosts: isolation")
struct OwnHostIsolationTests {
    private static let otherHost = "login.globex.test"

    /// Hosts of Acme and Globex.
    private static func both(_ body: @Sendable @escaping (OwnHost, SeedResult.TenantResult) async throws -> Void) async throws {
        try await OwnHost.run { own in
            _ = try await own.activate(otherHost, of: "globex")
            try await body(own, own.platform.globex.at("https://\(otherHost)"))
        }
    }

    @Test("codes, tokens, hints and applications of another tenant are refused at the host")
    func credentials() async throws {
        try await Self.both { own, globex in
            let browser = own.browser(at: [OwnHost.name, Self.otherHost])
            let request = TestBrowser.Request(globex)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            let back = try await browser.callback(try OwnHost.passedOn(try await browser.callback(form)))
            let code = try #require(back["code"])
            var there = request
            there.tenant = own.acme
            #expect(try await browser.redeem(code, there).status == 401)
            var mixed = TestBrowser.Request(own.acme)
            mixed.verifier = request.verifier
            #expect(try await browser.redeem(code, mixed).isOAuthError(400, "invalid_grant"))
            let tokens = try await browser.redeem(code, request)
            #expect(tokens.status == 200, "\(tokens.body)")
            #expect(try await browser.userInfo(tokens.string("access_token"), of: own.acme).status == 401)
            #expect(try await browser.userInfo(tokens.string("access_token"), of: globex).status == 200)
            let hint = tokens.string("id_token") ?? ""
            #expect(try await browser.get("\(own.acme.issuer)/oauth2/logout?id_token_hint=\(hint)").isPage(400))
            #expect(try await browser.refresh(tokens.string("refresh_token") ?? "", mixed).isOAuthError(400, "invalid_grant"))
            // Globex's application is unknown at Acme's host.
            #expect(try await browser.get(request.authorizeURL(changing: [:], at: "\(own.acme.issuer)/oauth2/authorize")).isPage(400))
        }
    }

    @Test("cookies of another tenant's host mean nothing, even if a browser sent them")
    func cookies() async throws {
        try await Self.both { own, globex in
            for slug in ["acme", "globex"] {
                #expect(try await own.platform.call("PATCH", "/tenants/\(slug)", ["single_sign_on": true]).status == 200)
            }
            try await own.settle()
            let browser = own.browser(at: [OwnHost.name, Self.otherHost])
            let request = TestBrowser.Request(globex)
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            _ = try await browser.callback(try OwnHost.passedOn(try await browser.callback(form)))
            let stolen = browser.cookies(of: globex.issuer)
            let value = try #require(stolen["__Host-espalier-sso-globex"])
            #expect(browser.cookies(of: OwnHost.url).isEmpty && browser.cookies.isEmpty)
            browser.set(stolen.merging(["__Host-espalier-sso-acme": value]) { $1 }, of: OwnHost.url)
            let mine = TestBrowser.Request(own.acme)
            let silent = try await browser.get(mine.authorizeURL(changing: ["prompt": "none"]))
            #expect(silent.reports(mine, "login_required"), "\(silent.location ?? silent.body)")
            // It is valid where it belongs.
            #expect(try await browser.get(request.authorizeURL(changing: ["prompt": "none"]))["code"] != nil)
        }
    }

    @Test("an attempt of another tenant does not end at the host")
    func attempts() async throws {
        try await Self.both { own, globex in
            let browser = own.browser(at: [OwnHost.name, Self.otherHost])
            let form = try await browser.atApple(try await browser.authorize(.init(globex)), person: "new")
            browser.set(browser.cookies(of: globex.issuer), of: OwnHost.url)
            let passed = try OwnHost.passedOn(try await browser.callback(form))
            for fields in [form.fields, passed.fields] {
                #expect(try await browser.post("\(OwnHost.url)/auth/apple/callback", form: fields).isPage(400))
            }
        }
    }

    @Test("the sign-in of a browser is only at the address where it started, and ends there with the person's consent")
    func sessions() async throws {
        try await OwnHost.run { own in
            #expect(try await own.platform.call("PATCH", "/tenants/acme", ["single_sign_on": true]).status == 200)
            try await own.settle()
            let (browser, request) = (own.browser(), TestBrowser.Request(own.acme))
            _ = try await browser.signIn(request)
            let again = try await browser.get(request.authorizeURL(changing: ["prompt": "none"]))
            #expect(again["code"] != nil && again["iss"] == OwnHost.url)
            let old = TestBrowser.Request(own.platform.acme)
            #expect(try await browser.get(old.authorizeURL(changing: ["prompt": "none"])).reports(old, "login_required"))
            // Nor if somebody sends the cookie there, for example the next owner of the host.
            let cookies = browser.cookies(of: OwnHost.url)
            #expect(cookies["__Host-espalier-sso-acme"] != nil)
            browser.cookies = cookies
            #expect(try await browser.get(old.authorizeURL(changing: ["prompt": "none"])).reports(old, "login_required"))
            let there = own.browser(at: ["second.acme.test"])
            _ = try await own.activate("second.acme.test")
            there.set(cookies, of: "https://second.acme.test")
            let second = TestBrowser.Request(own.platform.acme.at("https://second.acme.test"))
            #expect(try await there.get(second.authorizeURL(changing: ["prompt": "none"])).reports(second, "login_required"))
            browser.cookies = [:]

            let question = try await browser.get("\(OwnHost.url)/oauth2/logout")
            let page = try #require(TestBrowser.AppleForm(html: question.body), "\(question.body)")
            #expect(page.action.hasPrefix("/oauth2/logout/confirmation?"))
            let address = OwnHost.url + page.action
            // The page of the public URL is another origin.
            let foreign = try await browser.post(address, form: page.fields, headers: [("Origin", TestPlatform.publicURL)])
            #expect(TestBrowser.AppleForm(html: foreign.body) != nil)
            #expect(try await browser.get(request.authorizeURL(changing: ["prompt": "none"]))["code"] != nil)
            let done = try await browser.post(
                address, form: page.fields, headers: [("Origin", OwnHost.url), ("Sec-Fetch-Site", "same-origin")])
            #expect(done.status == 200, "\(done.body)")
            #expect(try await browser.get(request.authorizeURL(changing: ["prompt": "none"])).reports(request, "login_required"))
        }
    }
}
