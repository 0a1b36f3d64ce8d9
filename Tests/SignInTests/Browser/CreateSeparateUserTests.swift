import Foundation
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("Create a separate user")
struct CreateSeparateUserTests {
    @Test("the person gets a user of their own with the name, which stays theirs")
    func separate() async throws {
        try await Linking.run { linking in
            let platform = linking.platform
            try await platform.subscribe(platform.acme)
            let back = try await linking.browser.press(try await linking.page(), "/separate")
            #expect(back["state"] == linking.request.state && back["iss"] == platform.acme.issuer)
            let user = try await linking.user(back)
            #expect(user != linking.owner.user && linking.browser.cookies.isEmpty)
            #expect(try await platform.user(user)?.givenName == "Second")
            #expect(try await platform.events("user.created").map { $0["user_id"] as? String } == [user])
            #expect(try await platform.login(linking.second).user == user)
            #expect(try await platform.login(linking.first).user == linking.owner.user)
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NULL") == 0)
            #expect(try await platform.countBilled() == 4)
        }
    }

    @Test("with form_post, the response is a page that may post to the application")
    func posted() async throws {
        try await Linking.run { linking in
            let toApple = try await linking.browser.get(linking.request.authorizeURL(changing: ["response_mode": "form_post"]))
            let page = try await linking.browser.callback(try await linking.browser.atApple(toApple, person: linking.second))
            let back = try await linking.browser.press(page, "/separate")
            #expect(back.status == 200 && linking.browser.cookies.isEmpty)
            let origin = try #require(linking.request.redirectURI.firstMatch(of: /^https?:\/\/[^\/]+/))
            #expect(back.header("Content-Security-Policy")?.contains("form-action \(origin.0)") == true)
            let form = try #require(TestBrowser.AppleForm(html: back.body))
            #expect(form.action == linking.request.redirectURI && form["state"] == linking.request.state)
            let tokens = try await linking.browser.redeem(form["code"] ?? "", linking.request)
            #expect(try TestSupport.claims(of: tokens.string("id_token"))["sub"] as? String != linking.owner.user)
        }
    }

    @Test("the claims of the login are as without the page")
    func claims() async throws {
        try await Linking.run(["single_sign_on": true]) { linking in
            let before = Int(Date().timeIntervalSince1970) - 1
            let back = try await linking.browser.press(try await linking.page(), "/separate")
            let tokens = try await linking.browser.redeem(back["code"] ?? "", linking.request)
            let claims = try TestSupport.claims(of: tokens.string("id_token"))
            #expect(claims["nonce"] as? String == linking.request.nonce)
            #expect((claims["auth_time"] as? Int ?? 0) >= before)
            #expect(claims["email"] as? String == linking.address)
            #expect(try await linking.platform.count("browser_session") == 2)
        }
    }

    @Test("the same form from two tabs creates one user, and after the response the form is used up")
    func repeated() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            let cookies = linking.browser.cookies
            let one = try await linking.browser.press(page, "/separate")
            #expect(try await linking.browser.press(page, "/separate").isPage(400))
            // The response was lost, so the browser still has its cookie.
            linking.browser.cookies = cookies
            let two = try await linking.browser.press(page, "/separate")
            #expect(one["code"] != nil && two["code"] != nil)
            let user = try await linking.user(two)
            #expect(user.hasPrefix("user_"))
            #expect(try await linking.platform.count("tenant_user") == 2)
            #expect(try await linking.platform.count("identity") == 2)
            // One sign-in has one session.
            #expect(try await linking.browser.redeem(one["code"] ?? "", linking.request).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("if the database fails, the name waits for the next sign-in with the same Apple Account")
    func databaseFails() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            let pool = linking.platform.ownerPool
            _ = try await pool.run(
                "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused'; END $$")
            _ = try await pool.run("CREATE TRIGGER refuse BEFORE INSERT ON tenant_user FOR EACH ROW EXECUTE FUNCTION refuse()")
            let failed = try await linking.browser.press(page, "/separate")
            #expect(failed.reports(linking.request, "server_error"), "\(failed.status) \(failed.location ?? failed.body)")
            _ = try await pool.run("DROP TRIGGER refuse ON tenant_user")
            let user = try await linking.user(linking.browser.press(try await linking.page(), "/separate"))
            #expect(try await linking.platform.user(user)?.givenName == "Second")
        }
    }

    @Test("the end of all tokens of the tenant between the page and the form ends the sign-in")
    func tokensEnded() async throws {
        try await Linking.run { linking in
            let page = try await linking.page()
            #expect(try await linking.platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme").status == 200)
            let back = try await linking.browser.press(page, "/separate")
            #expect(try await linking.browser.redeem(back["code"] ?? "", linking.request).isOAuthError(400, "invalid_grant"))
            #expect(try await linking.platform.count("session", where: "ended_at IS NULL") == 0)
        }
    }

    @Test("with single sign-on, the sign-in of the browser is as old as the page")
    func browserTokensEnded() async throws {
        try await Linking.run(["single_sign_on": true]) { linking in
            let page = try await linking.page()
            #expect(try await linking.platform.call("POST", "/tenants/acme/sessions/revoke?confirm=acme").status == 200)
            _ = try await linking.browser.press(page, "/separate")
            var other = linking.request
            other.application = linking.platform.acme.applications[1]
            let silent = try await linking.browser.get(other.authorizeURL(changing: ["prompt": "none"]))
            #expect(silent["code"] == nil && silent["error"] == "login_required", "\(silent.location ?? silent.body)")
        }
    }

    @Test("Back from the page after the form shows it again; after the answer, the sign-in is finished and stays")
    func backAfterwards() async throws {
        try await Linking.run { linking in
            let (platform, browser, request) = (linking.platform, linking.browser, linking.request)
            let path = "/tenants/acme/applications/\(request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["is_third_party": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let form = try await browser.atApple(try await browser.authorize(request), person: linking.second)
            let page = try await browser.callback(form)
            #expect(linking.asks(page))
            #expect(try await browser.press(page, "/separate").asksForConsent(setsCookies: true))
            // The browser repeats Apple's form.
            let again = try await browser.callback(form)
            #expect(again.asksForConsent(), "\(again.status) \(again.location ?? again.body)")
            let tokens = try await browser.redeem(try await browser.decide(.allow, on: again)["code"] ?? "", request)
            let access = tokens.string("access_token")
            for late in [try await browser.press(page, "/separate"), try await browser.callback(form)] {
                #expect(late.isPage(400) && late.body.contains("already finished"), "\(late.status) \(late.body)")
            }
            #expect(try await browser.userInfo(access, of: platform.acme).status == 200)
        }
    }

    @Test("an application that requires a name asks for it afterwards, if Apple sent it to a page that the person left")
    func requiredName() async throws {
        try await Linking.run { linking in
            _ = try await linking.elsewhere.page()
            let client = linking.request.application.client_id
            let changed = try await linking.platform.call("PATCH", "/tenants/acme/applications/\(client)", ["requires_name": true])
            #expect(changed.status == 200)
            linking.platform.installation.directory.forgetAll(isFresh: true)
            let asked = try await linking.browser.press(try await linking.page(), "/separate")
            #expect(asked.status == 200 && asked.body.contains("given_name"), "\(asked.status) \(asked.location ?? "")")
            // The browser has no cookie of the earlier page.
            #expect(!linking.browser.cookies.contains { $0.key.hasSuffix("-w") || $0.value.utf8.count > 1000 })
            let user = try await linking.user(linking.browser.press(asked, replacing: ["given_name": "Sam", "family_name": ""]))
            #expect(user != linking.owner.user)
            #expect(try await linking.platform.user(user)?.givenName == "Sam")
        }
    }
}
