import Domains
import Foundation
import Postgres
import Server
import Tenancy
import Testing
import TestSupport

@Suite("AuthKit authorize")
struct AuthKitAuthorizeTests {
    @Test("a page asks about an application of a third party before the code, which works in this interface only")
    func thirdParty() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let path = "/tenants/acme/applications/\(client.request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["is_third_party": true, "requires_name": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let toApple = try await client.authorize()
            let page = try await client.browser.callback(try await client.browser.atApple(toApple, person: "Ada Lovelace"))
            #expect(page.asksForConsent(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
            #expect(page.body.contains("access while you are not using it"))
            // Another Apple Account leads back to this interface.
            let other = try await client.browser.decide(.otherAccount, on: page)
            let asked = try await client.browser.callback(try await client.browser.atApple(other, person: "Grace Hopper"))
            let code = try #require(try await client.browser.decide(.allow, on: asked)["code"])
            #expect(try await client.browser.redeem(code, client.request).isOAuthError(400, "invalid_grant"))
            #expect(try await client.redeem(code).status == 200)
            let back = try await client.browser.decide(.allow, on: page)
            #expect(try await client.redeem(back["code"] ?? "").status == 200)
            #expect(try await client.redeem(try await client.code(person: "Ada Lovelace")).status == 200)
        }
    }

    @Test("the page also works after the tenant's address below the public URL is switched off, and that of an OAuth sign-in does not")
    func thirdPartyWithoutOldAddress() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let path = "/tenants/acme/applications/\(client.request.application.client_id)"
            #expect(try await platform.call("PATCH", path, ["is_third_party": true]).status == 200)
            platform.installation.directory.forgetAll(isFresh: true)
            let old = TestBrowser(platform)
            let oldPage = try await old.signIn(client.request, person: "Ada Lovelace")
            #expect(oldPage.asksForConsent(setsCookies: true), "\(oldPage.status) \(oldPage.location ?? oldPage.body)")
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO domain (tenant_id, id, host, token, state, is_primary, is_exclusive, verified_at, proved_since, check_due_at,
                    expires_at, created_at, updated_at)
                SELECT id, gen_random_uuid(), 'login.acme.test', 'mB0Yw9pQ1nT5vXc7ZkR3aA', 'active', true, true, now(), now(),
                    now() + interval '1 day', now(), now(), now()
                FROM tenant WHERE slug = 'acme'
                """)
            try await platform.installation.hosts.read(everything: true)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await platform.call("GET", "/tenants/acme").string("issuer") == "https://login.acme.test")
            func page(of person: String, after toApple: TestBrowser.Answer) async throws -> TestBrowser.Answer {
                let page = try await client.browser.callback(try await client.browser.atApple(toApple, person: person))
                #expect(page.asksForConsent(setsCookies: true), "\(page.status) \(page.location ?? page.body)")
                return page
            }
            let first = try await page(of: "Ada Lovelace", after: try await client.authorize())
            let refused = try await client.browser.decide(.refuse, on: first)
            #expect(refused.reports(client.request, "access_denied"), "\(refused.status) \(refused.location ?? refused.body)")
            let second = try await page(of: "Ada Lovelace", after: try await client.authorize())
            let other = try await client.browser.decide(.otherAccount, on: second)
            let third = try await page(of: "Grace Hopper", after: other)
            let code = try #require(try await client.browser.decide(.allow, on: third)["code"])
            #expect(try await client.redeem(code).status == 200)
            for button in [TestBrowser.Decision.allow, .refuse, .otherAccount] {
                let answer = try await old.decide(button, on: oldPage)
                #expect(answer.isPage(404), "\(button) \(answer.status) \(answer.location ?? answer.body)")
            }
            #expect(try await platform.count("consent") == 1)
        }
    }

    @Test(
        "both prefixes and each way to select Apple lead to Apple",
        arguments: [
            [:], ["provider": "AppleOAuth"], ["provider": nil, "organization_id": "org"], ["organization_id": "tenant"],
            ["login_hint": "ada@example.com", "screen_hint": "sign-up", "domain_hint": "example.com", "nothing": "x"],
        ] as [[String: String?]])
    func toApple(changes: [String: String?]) async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            var changes = changes
            switch changes["organization_id"] {
            case "org": changes["organization_id"] = client.organization
            case "tenant": changes["organization_id"] = platform.acme.id
            default: break
            }
            for id in [client.clientID, client.request.application.client_id] {
                changes["client_id"] = id
                let answer = try await client.authorize(changes)
                #expect(answer.status == 302, "\(answer.location ?? answer.body)")
                #expect(answer.header("X-Request-ID") == answer.header("Request-Id"))
                let back = try await client.browser.callback(try await client.browser.atApple(answer, person: "new"))
                #expect(back["code"] != nil)
                #expect(back["state"] == client.request.state)
            }
        }
    }

    @Test("the application receives each error under WorkOS's name")
    func errors() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let errors: [([String: String?], String)] = [
                (["provider": "GoogleOAuth"], "invalid_connection_selector"), (["provider": nil], "invalid_connection_selector"),
                (["connection_id": "conn_01"], "connection_invalid"), (["organization_id": platform.globex.id], "organization_invalid"),
                (["organization_id": "org_x"], "organization_invalid"), (["invitation_token": "x"], "invitation_invalid"),
                (["response_type": "token"], "unsupported_response_type"), (["code_challenge": "x"], "invalid_request"),
                (["prompt": "none"], "login_required"),
            ]
            for (changes, error) in errors {
                let answer = try await client.authorize(changes)
                #expect(answer.reports(client.request, error), "\(changes): \(answer.location ?? answer.body)")
            }
            let cancelled = try await client.browser.callback(
                try await client.browser.atApple(try await client.authorize(), person: "cancel"))
            #expect(cancelled.reports(client.request, "access_denied"))
        }
    }

    @Test("an unknown client and an unregistered redirect URI get a page")
    func pages() async throws {
        try await TestPlatform.run { platform in
            for changes: [String: String?] in [
                ["client_id": "client_00000000000000000000000000"], ["client_id": nil], ["client_id": "org_00000000000000000000000000"],
                ["redirect_uri": "https://evil.test/"], ["redirect_uri": nil],
            ] {
                let answer = try await AuthKitClient(platform).authorize(changes)
                #expect(answer.isPage(400), "\(changes)")
            }
        }
    }
}
