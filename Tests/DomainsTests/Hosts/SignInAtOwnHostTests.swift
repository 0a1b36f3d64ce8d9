import Access
import Domains
import Encoding
import Foundation
import Postgres
import Tenancy
import TestSupport
import Testing

@testable import Server

@Suite("Own hosts: sign-in")
struct SignInAtOwnHostTests {
    @Test("discovery, the authorization response and the tokens of a sign-in at the host have one issuer")
    func signsIn() async throws {
        try await OwnHost.run { own in
            let (browser, request) = (own.browser(), TestBrowser.Request(own.acme))
            let toApple = try await browser.authorize(request)
            #expect(toApple.status == 302, "\(toApple.body)")
            #expect(toApple["redirect_uri"] == "\(OwnHost.url)/auth/apple/callback")
            #expect(browser.cookies.isEmpty && !browser.cookies(of: OwnHost.url).isEmpty)
            let form = try await browser.atApple(toApple, person: "new")
            #expect(form.action == "\(OwnHost.url)/auth/apple/callback")
            let back = try await browser.callback(form)
            #expect(back["iss"] == OwnHost.url, "\(back.status) \(back.location ?? back.body)")
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            let (access, id) = (tokens.string("access_token"), tokens.string("id_token"))
            #expect(try claims(of: id)["iss"] as? String == OwnHost.url)
            #expect(try claims(of: access)["iss"] as? String == OwnHost.url)
            #expect(try claims(of: access)["aud"] as? String == OwnHost.url)

            // Both addresses accept the token, and introspect it.
            for tenant in [own.acme, own.platform.acme] {
                #expect(try await browser.userInfo(access, of: tenant).status == 200)
                let seen = try await browser.post(
                    "\(tenant.issuer)/oauth2/introspect",
                    form: [
                        ("token", access ?? ""), ("client_id", request.application.client_id),
                        ("client_secret", request.application.client_secret ?? ""),
                    ])
                #expect(seen.json["active"] as? Bool == true && seen.string("iss") == OwnHost.url)
            }
            let refreshed = try await browser.refresh(tokens.string("refresh_token") ?? "", request)
            #expect(try claims(of: refreshed.string("id_token"))["iss"] as? String == OwnHost.url)
        }
    }

    @Test("a token of the old address is accepted at the host; a refresh there gives an access token of the host, and no other id_token")
    func moves() async throws {
        try await OwnHost.run { own in
            let (browser, old, new) = (own.browser(), TestBrowser.Request(own.platform.acme), TestBrowser.Request(own.acme))
            let tokens = try await browser.tokens(old)
            #expect(try await browser.userInfo(tokens["access_token"] as? String, of: own.acme).status == 200)
            let refreshed = try await browser.refresh(tokens["refresh_token"] as? String ?? "", new)
            #expect(try claims(of: refreshed.string("access_token"))["iss"] as? String == OwnHost.url, "\(refreshed.body)")
            #expect(refreshed.json["id_token"] == nil)
            let again = try await browser.refresh(refreshed.string("refresh_token") ?? "", new)
            #expect(again.status == 200 && again.json["id_token"] == nil)
            let back = try await browser.refresh(again.string("refresh_token") ?? "", old)
            #expect(try claims(of: back.string("id_token"))["iss"] as? String == own.platform.acme.issuer)
        }
    }

    @Test("a request may name each issuer of the tenant as its resource")
    func resource() async throws {
        try await OwnHost.run { own in
            let (browser, issuer) = (own.browser(), own.platform.acme.issuer)
            for (tenant, resource) in [(own.acme, issuer), (own.acme, OwnHost.url), (own.platform.acme, OwnHost.url)] {
                let request = TestBrowser.Request(tenant)
                #expect(try await browser.get(request.authorizeURL(changing: ["resource": resource])).status == 302)
                let code = try #require(try await browser.signIn(request)["code"])
                let tokens = try await browser.token(
                    request,
                    [
                        ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
                        ("code_verifier", request.verifier), ("resource", resource),
                    ])
                #expect(try claims(of: tokens.string("access_token"))["aud"] as? String == tenant.issuer, "\(tokens.body)")
            }
        }
    }

    @Test("Apple's answer to a sign-in leads to no host after the domain is deleted")
    func gone() async throws {
        try await OwnHost.unclaimed { own in
            let host = "login.globex.test"
            let id = try await own.activate(host, of: "globex")
            let browser = own.browser(at: [host])
            let request = TestBrowser.Request(own.platform.globex.at("https://\(host)"))
            let form = try await browser.atApple(try await browser.authorize(request), person: "new")
            #expect(try await own.platform.call("DELETE", "/tenants/globex/domains/\(id)").status == 204)
            try await own.settle()
            let answer = try await browser.callback(form)
            #expect(answer.location == nil && answer.isPage(400))
        }
    }

    @Test("an attempt ends only at the address where it started")
    func addresses() async throws {
        try await OwnHost.run { own in
            let browser = own.browser()
            let atHost = try await browser.atApple(try await browser.authorize(.init(own.acme)), person: "new")
            browser.cookies = browser.cookies(of: OwnHost.url)
            #expect(try await browser.post("\(own.platform.acme.issuer)/auth/apple/callback", form: atHost.fields).isPage(400))
            let atOld = try await browser.atApple(try await browser.authorize(.init(own.platform.acme)), person: "new")
            browser.set(browser.cookies, of: OwnHost.url)
            #expect(try await browser.post("\(OwnHost.url)/auth/apple/callback", form: atOld.fields).isPage(400))
        }
    }

    @Test("a registered name of the host appears in the device grant, and its pages are at the host")
    func devices() async throws {
        try await OwnHost.run { own in
            let (browser, application) = (own.browser(), own.acme.applications[0])
            _ = try await own.platform.call(
                "PATCH", "/tenants/acme/applications/\(application.client_id)", ["allows_device_grant": true])
            try await own.settle()
            let codes = try await browser.post(
                "\(OwnHost.url)/oauth2/device_authorization",
                form: [("client_id", application.client_id), ("client_secret", application.client_secret ?? "")])
            #expect(codes.string("verification_uri") == "\(OwnHost.url)/device", "\(codes.body)")
            let origin = [("Origin", OwnHost.url), ("Sec-Fetch-Site", "same-origin")]
            let code = [("user_code", codes.string("user_code") ?? "")]
            let shown = try await browser.post("\(OwnHost.url)/device", form: code, headers: origin)
            #expect(shown.status == 200 && shown.body.contains("\"/device/sign-in?ticket=") && !shown.body.contains("/t/acme"))
            let old = try await browser.post("\(OwnHost.url)/device", form: code, headers: [("Origin", TestPlatform.publicURL)])
            #expect(old.status != 200)
        }
    }
}
