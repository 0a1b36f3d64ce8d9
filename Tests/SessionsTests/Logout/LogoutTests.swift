import Crypto
import Encoding
import Foundation
import NIOHTTP1
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing

@Suite("Logout")
struct LogoutTests {
    private static let home = "https://app.test/bye"

    /// Requests a logout by GET or by a form.
    private static func logout(
        _ platform: TestPlatform, _ parameters: [(String, String?)], byPost: Bool = false, tenant: SeedResult.TenantResult? = nil
    ) async throws -> TestBrowser.Answer {
        let url = "\((tenant ?? platform.acme).issuer)/oauth2/logout"
        let given = parameters.compactMap { name, value in value.map { (name, $0) } }
        let browser = TestBrowser(platform)
        return byPost ? try await browser.post(url, form: given) : try await browser.get(TestBrowser.Request.url(url, given))
    }

    /// The refused URI is shown as text, without a letter that looks like another.
    private static func leadsNowhere(_ page: String) -> Bool {
        page.utf8.allSatisfy { $0 < 0x80 }
            && !["href", "src=", "action=", "http-equiv=\"refresh\"", "<form", "<script"].contains { page.contains($0) }
    }

    @Test(
        "only the session of the id_token ends; the browser returns with its state, by GET and by POST",
        arguments: [(false, "ES256", 0), (true, "ES256", 1), (false, "RS256", 1), (true, "RS256", 0)])
    func signedOut(byPost: Bool, algorithm: String, application: Int) async throws {
        try await TestPlatform.run { platform in
            try await platform.change(
                platform.acme.applications[application], "logout_uris = '{\(Self.home)}', signing_algorithm = '\(algorithm)'")
            try await platform.subscribe(platform.acme)
            let (login, other) = (
                try await platform.login("Grace Hopper", application: application), try await platform.login("Grace Hopper")
            )
            #expect(try jwtHeader(login.idToken)["alg"] == algorithm)
            for _ in 0..<2 {
                let answer = try await Self.logout(
                    platform,
                    [
                        ("id_token_hint", login.idToken), ("post_logout_redirect_uri", Self.home), ("state", "a b&c=d"),
                        ("client_id", login.request.application.client_id), ("logout_hint", "x"), ("ui_locales", "de en"),
                    ], byPost: byPost)
                #expect(answer.status == 303, "\(answer.body)")
                #expect(answer.location == "\(Self.home)?state=a%20b%26c%3Dd")
                #expect(answer.header("Cache-Control") == "no-store")
                #expect(answer.header("Referrer-Policy") == "no-referrer")
            }
            #expect(try await login.isOver())
            #expect(try await other.lasts())
            #expect(try await platform.call("GET", "/tenants/acme/sessions/\(login.session)").string("ended_reason") == "logout")
            let audited = try await platform.audited("session.logout")
            #expect(audited.map(\.subject) == [login.session])
            #expect(audited.map(\.actor) == [login.request.application.client_id])
            let events = try await platform.events("session.revoked")
            #expect(events.map { $0["reason"] as? String } == ["logout"])
            #expect(events.first?["user_id"] as? String == login.user)
        }
    }

    @Test("the return URI and the state are optional")
    func less() async throws {
        try await TestPlatform.run { platform in
            try await platform.change(platform.acme.applications[0], "logout_uris = '{\(Self.home)?a=b}'")
            let (first, second) = (try await platform.login(), try await platform.login())
            let page = try await Self.logout(platform, [("id_token_hint", first.idToken), ("state", "x")])
            #expect(page.isPage(200))
            #expect(page.body.contains("You are signed out"))
            #expect(try await first.isOver())
            let back = try await Self.logout(
                platform, [("id_token_hint", second.idToken), ("post_logout_redirect_uri", "\(Self.home)?a=b")])
            #expect(back.status == 303)
            #expect(back.location == "\(Self.home)?a=b")
            #expect(try await second.isOver())
            let stated = try await Self.logout(
                platform, [("id_token_hint", second.idToken), ("post_logout_redirect_uri", "\(Self.home)?a=b"), ("state", "s")])
            #expect(stated.location == "\(Self.home)?a=b&state=s")
        }
    }

    @Test("the browser goes only to exactly registered URIs of the application; the session ends in any case")
    func openRedirect() async throws {
        try await TestPlatform.run { platform in
            try await platform.change(platform.acme.applications[0], "logout_uris = '{\(Self.home)}'")
            try await platform.change(platform.acme.applications[2], "logout_uris = '{https://other.test/}'")
            let login = try await platform.login()
            for uri in [
                "https://evil.test/", "https://app.test/", "https://app.test/bye/", "https://app.test/bye?x=y", "https://app.test/bye#x",
                "https://app.test:443/bye", "https://APP.test/bye", "https://app.test/%62ye", "https://app.test/./bye",
                "https://user@app.test/bye", "https://app.test@evil.test/bye", "http://app.test/bye", "//app.test/bye", "/bye",
                "javascript:alert(1)", "https://app.test/bye\r\nX: y", " https://app.test/bye", "https://other.test/",
                // A redirect URI of logins is not valid for logouts.
                TestPlatform.redirectURI,
            ] {
                let answer = try await Self.logout(platform, [("id_token_hint", login.idToken), ("post_logout_redirect_uri", uri)])
                #expect(answer.isPage(400), "\(uri): \(answer.status) \(answer.location ?? "")")
                #expect(Self.leadsNowhere(answer.body) && answer.headers["X"].isEmpty)
                #expect(answer.body.contains("Application") && answer.body.contains(login.request.application.name))
                if uri == "https://evil.test/" { #expect(answer.body.contains(uri)) }
            }
            #expect(try await login.isOver())
        }
    }

    @Test("a native application returns to any port of a loopback address, and to its own scheme")
    func native() async throws {
        try await TestPlatform.run { platform in
            try await platform.change(
                platform.acme.applications[1], "logout_uris = '{http://127.0.0.1/bye,com.acme.app:/bye}'")
            let login = try await platform.login("new", application: 1)
            for (uri, isRegistered) in [
                ("http://127.0.0.1:50123/bye", true), ("http://127.0.0.1/bye", true), ("com.acme.app:/bye", true),
                ("http://127.0.0.1:50123/", false), ("http://localhost:50123/bye", false), ("http://127.0.0.1.evil.test:1/bye", false),
                ("com.acme.app:/bye/", false),
            ] {
                let answer = try await Self.logout(
                    platform, [("id_token_hint", login.idToken), ("post_logout_redirect_uri", uri), ("state", "s")])
                #expect(isRegistered ? answer.status == 303 && answer.location == "\(uri)?state=s" : answer.isPage(400), "\(uri)")
            }
        }
    }

    @Test("without an id_token the browser returns to a registered URI of the named application with its state, and no session ends")
    func withoutHint() async throws {
        try await TestPlatform.run { platform in
            try await platform.change(platform.acme.applications[0], "logout_uris = '{\(Self.home),\(Self.home)?a=b}'")
            try await platform.change(platform.acme.applications[1], "logout_uris = '{http://127.0.0.1/bye}'")
            let login = try await platform.login()
            let (web, native) = (platform.acme.applications[0].client_id, platform.acme.applications[1].client_id)
            for byPost in [false, true] {
                for (client, uri, state, location) in [
                    (web, Self.home, "a b&c=d", "\(Self.home)?state=a%20b%26c%3Dd"), (web, Self.home, nil, Self.home),
                    (web, "\(Self.home)?a=b", "s", "\(Self.home)?a=b&state=s"),
                    (native, "http://127.0.0.1:50123/bye", "s", "http://127.0.0.1:50123/bye?state=s"),
                ] as [(String, String, String?, String)] {
                    let answer = try await Self.logout(
                        platform,
                        [("client_id", client), ("post_logout_redirect_uri", uri), ("state", state), ("logout_hint", login.user)],
                        byPost: byPost)
                    #expect(answer.status == 303, "\(answer.body)")
                    #expect(answer.location == location)
                    #expect(answer.header("Cache-Control") == "no-store")
                    #expect(answer.header("Referrer-Policy") == "no-referrer")
                }
            }
            #expect(try await login.lasts())
            #expect(try await platform.audited("session.logout").isEmpty)
        }
    }

    @Test("a bare request gets a page that claims no sign-out, and no session ends")
    func bare() async throws {
        try await TestPlatform.run { platform in
            try await platform.change(platform.acme.applications[0], "logout_uris = '{\(Self.home)}'")
            let login = try await platform.login()
            for byPost in [false, true] {
                for parameters in [
                    [], [("client_id", platform.acme.applications[0].client_id)], [("state", "s")], [("logout_hint", login.user)],
                    [("sid", login.session)], [("id_token_hint", "")],
                ] as [[(String, String?)]] {
                    let page = try await Self.logout(platform, parameters, byPost: byPost)
                    #expect(page.isPage(200), "\(parameters)")
                    #expect(page.body.contains("This server does not store your sign-in") && !page.body.contains("You are signed out"))
                }
            }
            #expect(try await login.lasts())
        }
    }

    @Test("a link without an id_token ends nothing and leads only to a registered URI of the named application")
    func crossSite() async throws {
        try await TestPlatform.run { platform in
            try await platform.change(platform.acme.applications[0], "logout_uris = '{\(Self.home)}'")
            try await platform.change(platform.acme.applications[2], "logout_uris = '{https://other.test/}'")
            try await platform.change(platform.globex.applications[0], "logout_uris = '{https://globex.test/}'")
            let login = try await platform.login()
            let (client, foreign) = (login.request.application.client_id, platform.globex.applications[0].client_id)
            for byPost in [false, true] {
                for (client, uri) in [
                    (nil, Self.home), (nil, "https://evil.test/"), ("", Self.home), ("app_x", Self.home), ("app_x", nil),
                    (client, "https://evil.test/"), (client, "https://app.test/bye/"), (client, "https://app.test:443/bye"),
                    (client, "https://APP.test/bye"), (client, "https://app.test@evil.test/bye"), (client, "//app.test/bye"),
                    (client, "https://app.test/bye\r\nX: y"), (client, "https://app.test/bye\u{301}"), (client, "javascript:alert(1)"),
                    // URIs of another application of this tenant and of another tenant, and a redirect URI.
                    (client, "https://other.test/"), (client, "https://globex.test/"), (foreign, "https://globex.test/"), (foreign, nil),
                    (client, TestPlatform.redirectURI),
                ] as [(String?, String?)] {
                    let answer = try await Self.logout(
                        platform, [("client_id", client), ("post_logout_redirect_uri", uri), ("state", "x"), ("sid", login.session)],
                        byPost: byPost)
                    #expect(answer.isPage(400), "\(client ?? "") \(uri ?? ""): \(answer.status) \(answer.location ?? "")")
                    #expect(Self.leadsNowhere(answer.body) && !answer.body.contains("You are signed out"))
                    if client == login.request.application.client_id {
                        #expect(answer.body.contains(login.request.application.name))
                        if uri == "https://evil.test/" { #expect(answer.body.contains("https://evil.test/")) }
                    }
                    #expect(answer.headers["X"].isEmpty)
                }
            }
            #expect(try await login.lasts())
        }
    }

    @Test("an id_token that this tenant did not sign for this application, or that is altered, ends nothing")
    func forged() async throws {
        try await TestPlatform.run { platform in
            try await platform.change(platform.acme.applications[0], "logout_uris = '{\(Self.home)}'")
            let (login, foreign) = (try await platform.login(), try await platform.login("new", platform.globex))
            let client = login.request.application.client_id
            func isRefused(_ hint: String, client: String? = nil) async throws -> Bool {
                try await Self.logout(
                    platform, [("id_token_hint", hint), ("client_id", client), ("post_logout_redirect_uri", Self.home)]
                ).isPage(400)
            }
            let parts = login.idToken.split(separator: ".").map(String.init)
            let kid = try #require(try jwtHeader(login.idToken)["kid"])
            func header(_ alg: String) -> String { Array(#"{"alg":"\#(alg)","kid":"\#(kid)","typ":"JWT"}"#.utf8).base64URL }
            // The signature uses public data as its key.
            let jwks = try await login.browser.get("\(platform.acme.issuer)/oauth2/jwks").body
            let input = "\(header("HS256")).\(parts[1])"
            let mac = Array(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: Data(jwks.utf8)))).base64URL
            let said = try claims(of: login.idToken)
            func changed(_ name: String, _ value: (any Sendable)?) -> [String: any Sendable] {
                var claims = said
                claims[name] = value
                return claims
            }
            for hint in [
                "x", "a.b.c", "..", foreign.idToken, login.access, login.refresh, login.idToken + "x", String(login.idToken.dropLast(8)),
                "\(parts[0]).\(parts[1]).", "\(header("none")).\(parts[1]).", "\(input).\(mac)",
                "\(header("RS256")).\(parts[1]).\(parts[2])", "\(parts[0]).\(String(parts[1].dropLast(4)))AAAA.\(parts[2])",
                String(repeating: "a", count: 9000),
                // Espalier's own signature on invalid content: another issuer, another tenant's key, another kind of token, an unknown
                // `crit`.
                try await platform.sign(changed("iss", platform.globex.issuer)), try await platform.sign(said, platform.globex),
                try await platform.sign(said, header: ["typ": "at+jwt"]), try await platform.sign(said, header: ["typ": "logout+jwt"]),
                try await platform.sign(said, header: ["alg": "RS256"]), try await platform.sign(said, header: ["crit": ["exp"]]),
                try await platform.sign(said, header: ["kid": "key_x"]), try await platform.sign(changed("sid", nil)),
                try await platform.sign(changed("aud", foreign.request.application.client_id)),
                try await platform.sign(changed("aud", [client, "app_x"])),
            ] {
                #expect(try await isRefused(hint), "\(hint.prefix(60))")
            }
            // The id_token belongs to another application than the one in the request.
            #expect(try await isRefused(login.idToken, client: platform.acme.applications[1].client_id))
            #expect(try await isRefused(login.idToken, client: "app_x"))
            // The request goes to another tenant's address.
            #expect(
                try await Self.logout(platform, [("id_token_hint", login.idToken)], tenant: platform.globex).isPage(400))
            #expect(try await login.lasts())
            #expect(try await foreign.lasts())

            // An application cannot end another application's session.
            let other = try await platform.login("new", application: 1)
            _ = try await Self.logout(platform, [("id_token_hint", try await platform.sign(changed("sid", other.session)))])
            #expect(try await other.lasts())
            #expect(try await login.lasts())
        }
    }

    @Test("an id_token that expired long ago still ends its session, but not a later one")
    func old() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login("Grace Hopper")
            let next = try await platform.login("Grace Hopper")
            var said = try claims(of: login.idToken)
            (said["iat"], said["exp"]) = (1_700_000_000, 1_700_003_600)
            #expect(try await Self.logout(platform, [("id_token_hint", try await platform.sign(said))]).isPage(200))
            #expect(try await login.isOver())
            #expect(try await next.lasts())
        }
    }

    @Test("a key that has left the JWKS verifies nothing")
    func droppedKey() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            _ = try await platform.ownerPool.run("DELETE FROM signing_key")
            let kid = try #require(try jwtHeader(login.idToken)["kid"])
            try await eventually("the server was notified") {
                try await !login.browser.get("\(platform.acme.issuer)/oauth2/jwks").body.contains(kid)
            }
            #expect(try await Self.logout(platform, [("id_token_hint", login.idToken)]).isPage(400))
            #expect(try await platform.count("session", where: "ended_at IS NULL") == 1)
        }
    }

    @Test("an unreadable request and an unknown tenant get a page")
    func unreadable() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login()
            let url = "\(platform.acme.issuer)/oauth2/logout"
            for query in [
                "id_token_hint=%", "id_token_hint=a&id_token_hint=b",
                "id_token_hint=x&state=\(String(repeating: "s", count: AuthorizationRequest.longestState + 1))",
                "client_id=x&client_id=x",
            ] {
                #expect(try await login.browser.get("\(url)?\(query)").isPage(400), "\(query.prefix(40))")
                let type = [("Content-Type", "application/x-www-form-urlencoded")]
                #expect(try await login.browser.send("POST", url, headers: type, body: query).isPage(400), "\(query.prefix(40))")
            }
            #expect(try await login.browser.get("\(TestPlatform.publicURL)/t/initech/oauth2/logout").isPage(404))
            #expect(try await login.lasts())
        }
    }

    @Test("a session that is refreshed during its logout ends")
    func racing() async throws {
        try await TestPlatform.run { platform in
            for _ in 0..<5 {
                let login = try await platform.login("Grace Hopper")
                let next = try await withThrowingTaskGroup(of: String?.self) { tasks in
                    tasks.addTask {
                        let answer = try await Self.logout(platform, [("id_token_hint", login.idToken)])
                        #expect(answer.status == 200)
                        return nil
                    }
                    tasks.addTask { try await login.browser.refresh(login.refresh, login.request).string("refresh_token") }
                    return try await tasks.reduce(nil) { $0 ?? $1 }
                }
                if let next { #expect(try await login.browser.refresh(next, login.request).isOAuthError(400, "invalid_grant")) }
                #expect(try await login.isOver())
            }
        }
    }
}
