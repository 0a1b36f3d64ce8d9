import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu authorize")
struct MushuAuthorizeTests {
    @Test("a login puts both tokens into the URL of the redirect, and is billed once", arguments: [0, 1])
    func login(tenant number: Int) async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, tenant: number)
            let back = try await client.login(adding: [("app_id", client.application.client_id), ("state", "é&=")], person: "Ada Lovelace")
            #expect(back.status == 303)
            #expect(back.location?.hasPrefix("\(MushuClient.redirectURI)?") == true)
            #expect(back.header("Referrer-Policy") == "no-referrer")
            #expect(back.header("Cache-Control") == "no-store")
            #expect(back["state"] == "é&=")
            #expect(back["iss"] == client.tenant.issuer)
            #expect(back["code"] == nil)
            // The attempt is finished.
            #expect(client.browser.cookies.isEmpty)

            let claims = try claims(of: back["access_token"])
            #expect(Set(["sub", "tid", "sid", "iss", "exp", "iat", "user_type"]).isSubset(of: claims.keys))
            #expect(claims["user_type"] as? String == "apple")
            #expect(claims["client_id"] as? String == client.application.client_id)
            #expect((claims["exp"] as? Int ?? 0) - (claims["iat"] as? Int ?? 0) == 3600)
            let connection = number == 0 ? "own" : "shared"
            #expect(try await platform.countBilled(where: "kind = 'login' AND connection = '\(connection)'") == 1)
            #expect(try await platform.countBilled() == 1)
            #expect(try await platform.count("session") == 1)
            // The session is like any other.
            let token = [("grant_type", "refresh_token"), ("refresh_token", back["refresh_token"] ?? "")]
            #expect(try await client.browser.token(.init(client.tenant, application: 1), token).status == 200)
        }
    }

    @Test("an application that requires offline_access gets a refresh token here, because its client can name no scope")
    func offlineAccess() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            try await client.set(["requires_offline_access": true])
            #expect(try await client.tokens().refresh.hasPrefix("ert_"))
        }
    }

    @Test("tokens go to a registered URI exactly, and to a registered loopback address with any port")
    func destinations() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let registered = [
                "http://localhost/callback", "http://127.0.0.1/callback?x=1", "http://[::1]:80/callback", "https://app.test/callback",
            ]
            try await client.set(["redirect_uris": registered])
            for uri in registered + [
                "http://localhost:1/callback", "http://localhost:65535/callback", "http://127.0.0.1:49152/callback?x=1",
                "http://[::1]:49152/callback",
            ] {
                let answer = try await client.browser.get(client.authorizeURL(uri))
                #expect(answer.status == 302, "\(uri): \(answer.body)")
            }
            for uri in [
                "http://localhost:49152/other", "http://localhost:49152/callback/", "http://localhost:49152/callback?x=1",
                "http://localhost:0/callback", "http://localhost:65536/callback", "http://localhost.evil.test/callback",
                "http://localhost@evil.test/callback", "https://localhost:49152/callback", "http://LOCALHOST:49152/callback",
                "http://127.0.0.1:49152/callback", "http://127.0.0.2:49152/callback?x=1", "https://app.test:444/callback",
                "https://app.test/callback?x", "https://evil.test/callback", "//evil.test", "",
            ] {
                let answer = try await client.browser.get(client.authorizeURL(uri))
                #expect(answer.isPage(400), "\(uri): \(answer.status) \(answer.location ?? "")")
            }
            #expect(try await client.browser.get("\(client.base)/auth/apple/authorize").isPage(400))
        }
    }

    @Test("the OAuth endpoint still needs the exact port of localhost")
    func otherEndpoint() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            var request = TestBrowser.Request(client.tenant, application: 1)
            request.redirectURI = MushuClient.redirectURI
            #expect(try await client.browser.authorize(request).isPage(400))
            request.redirectURI = "http://localhost/callback"
            let back = try await client.browser.signIn(request)
            #expect(back["code"] != nil)
            // The opt-in is for Mushu's endpoints.
            #expect(back["access_token"] == nil)
        }
    }

    @Test("without the opt-in, the client gets an error and no sign-in starts")
    func withoutOptIn() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, ["redirect_uris": ["http://localhost/callback"]])
            let refused = try await client.browser.get(client.authorizeURL(adding: [("state", "s")]))
            #expect(refused.status == 303)
            #expect(refused.location?.hasPrefix("\(MushuClient.redirectURI)?") == true)
            #expect(refused["error"] == "unauthorized_client")
            #expect(refused["error_description"]?.contains("returns_tokens_in_url") == true)
            #expect(refused["state"] == "s")
            #expect(client.browser.cookies.isEmpty)
        }
    }

    @Test("an application with a secret, a machine, an unknown one and one of another tenant are refused")
    func applications() async throws {
        try await TestPlatform.run { platform in
            let browser = TestBrowser(platform)
            func authorize(_ tenant: SeedResult.TenantResult, _ client: String, _ more: [(String, String)] = []) async throws
                -> TestBrowser.Answer
            {
                let url = "\(tenant.issuer)/mushu/\(client)/auth/apple/authorize"
                return try await browser.get(TestBrowser.Request.url(url, [("redirect_uri", TestPlatform.redirectURI)] + more))
            }
            let secret = try await authorize(platform.acme, platform.acme.applications[0].client_id)
            #expect(secret["error"] == "unauthorized_client")
            #expect(secret["error_description"]?.contains("secret") == true)
            let machine = try await platform.call("POST", "/tenants/acme/applications", ["name": "Robot", "kind": "machine"])
            #expect(try await authorize(platform.acme, machine.string("id") ?? "").isPage(400))
            #expect(try await authorize(platform.acme, "app_00000000000000000000000000").isPage(400))
            #expect(try await authorize(platform.acme, "x").isPage(400))
            #expect(try await authorize(platform.acme, platform.globex.applications[1].client_id).isPage(400))
            let own = platform.acme.applications[1].client_id
            #expect(try await authorize(platform.acme, own, [("client_id", platform.acme.applications[0].client_id)]).isPage(400))
            #expect(try await authorize(platform.acme, own, [("app_id", "com.example.app")]).isPage(400))
            #expect(try await authorize(platform.acme, own, [("app_id", own), ("app_id", own)]).isPage(400))
            let nobody = "\(TestPlatform.publicURL)/t/nobody/mushu/\(own)/auth/apple/authorize"
            #expect(try await browser.get(TestBrowser.Request.url(nobody, [("redirect_uri", "x")])).isPage(404))
        }
    }

    @Test("the error pages lead to the application, even those of a suspended tenant")
    func wayBack() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            try await client.set(["login_url": "https://app.test/login"])
            let button = "<a class=\"button\" href=\"https://app.test/login\">"
            for url in [
                "\(client.base)/auth/apple/authorize", client.authorizeURL("https://evil.test/callback"),
                client.authorizeURL(adding: [("state", String(repeating: "s", count: 4097))]),
            ] {
                let page = try await client.browser.get(url)
                #expect(page.isPage(400) && page.body.contains(button), "\(page.body)")
            }
            try await platform.suspend(client.tenant)
            try await eventually("the suspension has arrived") { try await client.browser.get(client.authorizeURL()).status == 404 }
            for page in [
                try await client.browser.get(client.authorizeURL()),
                try await client.browser.post("\(client.base)/auth/apple/callback", form: [("state", "x")]),
            ] {
                #expect(page.isPage(404) && page.body.contains("Sign-in is suspended") && page.body.contains(button), "\(page.body)")
            }
        }
    }

    @Test("when Apple returns, the opt-in and the redirect URI are checked again, and nothing is billed")
    func changedSince() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let first = try await client.browser.atApple(try await client.browser.get(client.authorizeURL()), person: "new")
            try await client.set(["returns_tokens_in_url": false])
            let refused = try await client.browser.callback(first)
            #expect(refused["error"] == "unauthorized_client", "\(refused.status) \(refused.body)")
            #expect(refused["access_token"] == nil)

            try await client.set(["returns_tokens_in_url": true])
            let second = try await client.browser.atApple(try await client.browser.get(client.authorizeURL()), person: "new")
            try await client.set(["redirect_uris": ["https://app.test/callback"]])
            #expect(try await client.browser.callback(second).isPage(400))
            #expect(try await platform.countBilled() == 0)
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("a cancelled sign-in and a refusal by Apple are redirected as errors, and cost nothing")
    func failures() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            #expect(try await client.login(person: "cancel")["error"] == "access_denied")
            try await platform.simulator.fault(
                ["endpoint": "token", "client_id": platform.own.servicesID, "times": 1, "fault": "error", "error": "invalid_grant"])
            let refused = try await client.login()
            #expect(refused["error"] == "server_error", "\(refused.location ?? refused.body)")
            #expect(refused["access_token"] == nil)
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("an application of a third party gets no tokens in a URL, even if it became one during the sign-in")
    func thirdParty() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let form = try await client.browser.atApple(try await client.browser.get(client.authorizeURL()), person: "new")
            try await client.set(["is_third_party": true])
            for answer in [try await client.browser.get(client.authorizeURL()), try await client.browser.callback(form)] {
                #expect(answer["error"] == "unauthorized_client" && answer["access_token"] == nil, "\(answer.status) \(answer.body)")
                #expect(answer["error_description"]?.contains("third party") == true)
            }
            #expect(try await platform.count("session") == 0)
        }
    }

    @Test("another browser cannot finish the sign-in, and the same form gives no second session")
    func otherBrowser() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let form = try await client.browser.atApple(try await client.browser.get(client.authorizeURL()), person: "new")
            #expect(try await TestBrowser(platform).callback(form).isPage(400))
            let cookies = client.browser.cookies
            #expect(try await client.browser.callback(form)["access_token"] != nil)
            client.browser.cookies = cookies
            let again = try await client.browser.callback(form)
            #expect(again["access_token"] == nil)
            #expect(again["error"] == "server_error")
            #expect(try await platform.count("session") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("the opt-in is audited, and only for an application without a secret")
    func audit() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform)
            let events = try await platform.auditTrail(of: "updateApplication")
            #expect(
                events.contains { $0.subject == client.application.client_id && $0.text.contains("\"returns_tokens_in_url\": true") },
                "\(events)")
            let web = "/tenants/acme/applications/\(platform.acme.applications[0].client_id)"
            let refused = try await platform.call("PATCH", web, ["returns_tokens_in_url": true])
            #expect(refused.status == 409)
            #expect(refused.body.contains("returns_tokens_in_url"))
        }
    }
}
