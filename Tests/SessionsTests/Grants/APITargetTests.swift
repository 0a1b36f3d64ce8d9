import APIs
import Encoding
import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

/// `resource` names an API of the tenant (RFC 8707).
@Suite("API target")
struct APITargetTests {
    private static let (orders, bills) = ("https://orders.test", "https://bills.test")

    /// A login of Acme's first application for both APIs.
    private func login(
        _ platform: TestPlatform, scope: String, resources: [String] = [orders, bills], person: String = "Ada Lovelace"
    ) async throws -> (browser: TestBrowser, request: TestBrowser.Request, code: String) {
        var request = TestBrowser.Request(platform.acme)
        request.scope = scope
        let browser = TestBrowser(platform)
        let started = try await browser.get(request.authorizeURL + resources.map { "&resource=\(Form.encode($0))" }.joined())
        let answer = try await browser.callback(try await browser.atApple(started, person: person))
        return (browser, request, try #require(answer["code"]))
    }

    private func createAPIs(_ platform: TestPlatform) async throws -> String {
        let application = platform.acme.applications[0].client_id
        try await platform.createAPI(Self.bills, scopes: ["bills:read"], for: [application: nil])
        return try await platform.createAPI(
            Self.orders, scopes: ["orders:read", "orders:write"], for: [application: ["orders:read"]], seconds: 600)
    }

    private func redeem(
        _ login: (browser: TestBrowser, request: TestBrowser.Request, code: String), _ resources: [String] = []
    ) async throws -> TestBrowser.Answer {
        try await login.browser.token(
            login.request,
            [
                ("grant_type", "authorization_code"), ("code", login.code), ("redirect_uri", login.request.redirectURI),
                ("code_verifier", login.request.verifier),
            ] + resources.map { ("resource", $0) })
    }

    @Test("a code and each refresh give an access token for one of the APIs, with its scopes and lifetime (RFC 9068)")
    func targets() async throws {
        try await TestPlatform.run { platform in
            _ = try await createAPIs(platform)
            let login = try await login(platform, scope: "openid email orders:read orders:write bills:read other")
            // Without a target, the first one of the authorization request counts.
            let tokens = try await redeem(login)
            #expect(tokens.status == 200 && tokens.json["expires_in"] as? Int == 600, "\(tokens.body)")
            #expect(tokens.string("scope") == "orders:read")
            let said = try claims(of: tokens.string("access_token"))
            #expect(said["aud"] as? String == Self.orders && said["scope"] as? String == "orders:read")
            #expect((said["exp"] as? Int ?? 0) - (said["iat"] as? Int ?? 0) == 600 && said["sid"] is String)
            // The id_token is for the application, with the granted scope.
            #expect(try claims(of: tokens.string("id_token"))["email"] is String)

            var refresh = tokens.string("refresh_token") ?? ""
            for (resource, audience, scope) in [
                (Self.bills, Self.bills, "bills:read"), (platform.acme.issuer, platform.acme.issuer, "openid email"),
                (nil, Self.orders, "orders:read"),
            ] {
                let form = [("grant_type", "refresh_token"), ("refresh_token", refresh)] + (resource.map { [("resource", $0)] } ?? [])
                let next = try await login.browser.token(login.request, form)
                #expect(next.string("scope") == scope, "\(next.body)")
                #expect(try claims(of: next.string("access_token"))["aud"] as? String == audience)
                refresh = next.string("refresh_token") ?? ""
            }
            let narrowed = try await login.browser.token(
                login.request,
                [("grant_type", "refresh_token"), ("refresh_token", refresh), ("scope", "bills:read"), ("resource", Self.bills)])
            #expect(narrowed.string("scope") == "bills:read" && narrowed.string("id_token") == nil, "\(narrowed.body)")
        }
    }

    @Test("a token for an API does not act at Espalier; a resource server can inspect it, and a revocation ends it")
    func uses() async throws {
        try await TestPlatform.run { platform in
            _ = try await createAPIs(platform)
            let login = try await login(platform, scope: "")
            let token = try await redeem(login).string("access_token") ?? ""
            #expect(try await login.browser.userInfo(token, of: platform.acme).status == 401)
            let bearer = [("Authorization", "Bearer \(token)")]
            #expect(try await login.browser.send("DELETE", "\(platform.acme.issuer)/users/me", headers: bearer, body: nil).status == 401)
            let server = try await platform.resourceServer()
            #expect(try await platform.introspect(token, as: server).string("aud") == Self.orders)
            #expect(try await platform.revoke(token, as: Credentials(login.request.application)).status == 200)
            #expect(try await platform.introspect(token, as: server).isInactive)
        }
    }

    @Test("an unknown or unpermitted target is invalid_target, and uses up neither the code nor the refresh token")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            _ = try await createAPIs(platform)
            let other = platform.acme.applications[1].client_id
            try await platform.createAPI("https://other.test", for: [other: nil])
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let unknown = ["https://x.test", "https://other.test", "\(Self.orders)/", "\(Self.orders)\u{301}", "\(Self.orders)\u{200D}"]
            for resource in unknown {
                let answer = try await browser.get("\(request.authorizeURL)&resource=\(Form.encode(resource))")
                #expect(answer.reports(request, "invalid_target"), "\(resource)")
            }

            let login = try await login(platform, scope: "", resources: [Self.orders])
            for resource in unknown + [Self.bills] {
                #expect(try await redeem(login, [resource]).isOAuthError(400, "invalid_target"), "\(resource)")
            }
            #expect(try await redeem(login, [Self.orders, platform.acme.issuer]).isOAuthError(400, "invalid_target"))
            let tokens = try await redeem(login, [Self.orders])
            let refresh = [("grant_type", "refresh_token"), ("refresh_token", tokens.string("refresh_token") ?? "")]
            for resource in unknown + [Self.bills] {
                let answer = try await login.browser.token(login.request, refresh + [("resource", resource)])
                #expect(answer.isOAuthError(400, "invalid_target"), "\(resource)")
            }
            #expect(try await login.browser.token(login.request, refresh).status == 200)
        }
    }

    @Test("after the API is deleted, a refresh without a target gives a token without a scope, and the session stays")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let path = try await createAPIs(platform)
            let login = try await login(platform, scope: "openid orders:read", resources: [Self.orders])
            var refresh = try await redeem(login).string("refresh_token") ?? ""
            #expect(try await platform.call("DELETE", path).status == 204)
            try await eventually("a token for the issuer") {
                let next = try await login.browser.refresh(refresh, login.request)
                refresh = next.string("refresh_token") ?? ""
                guard next.string("scope") == nil else { return false }
                let token = next.string("access_token")
                #expect(try claims(of: token)["aud"] as? String == platform.acme.issuer)
                // The API, which is no longer trusted, gets this token from the client, and cannot act with it.
                #expect(try await login.browser.userInfo(token, of: platform.acme).status == 403)
                return true
            }
            let again = [("grant_type", "refresh_token"), ("refresh_token", refresh), ("resource", platform.acme.issuer)]
            #expect(try await login.browser.token(login.request, again).string("scope") == "openid")
        }
    }

    @Test("a code for an API that was deleted since then is invalid_target, and can be redeemed for the issuer")
    func deletedBeforeRedeeming() async throws {
        try await TestPlatform.run { platform in
            let path = try await createAPIs(platform)
            let login = try await login(platform, scope: "openid orders:read", resources: [Self.orders])
            #expect(try await platform.call("DELETE", path).status == 204)
            platform.installation.apis.forgetAll(isFresh: true)
            #expect(try await redeem(login).isOAuthError(400, "invalid_target"))
            #expect(try await redeem(login, [platform.acme.issuer]).string("scope") == "openid")
        }
    }

    @Test("introspection rejects a user's token as soon as the API does not list the application, and a copy of it revokes nothing")
    func permissionEnds() async throws {
        try await TestPlatform.run { platform in
            let application = platform.acme.applications[1]
            let path = try await platform.createAPI(Self.orders, for: [application.client_id: nil])
            let request = TestBrowser.Request(platform.acme, application: 1)
            let browser = TestBrowser(platform)
            let started = try await browser.get("\(request.authorizeURL)&resource=\(Form.encode(Self.orders))")
            let back = try await browser.callback(try await browser.atApple(started, person: "Ada Lovelace"))
            let tokens = try await browser.redeem(try #require(back["code"]), request)
            let (token, server) = (tokens.string("access_token") ?? "", try await platform.resourceServer())
            if application.client_secret == nil {
                #expect(try await platform.revoke(token, as: Credentials(application)).status == 200)
            }
            #expect(try await platform.introspect(token, as: server).json["active"] as? Bool == true)
            #expect(try await platform.call("PATCH", path, ["applications": [String]()]).status == 200)
            platform.installation.apis.forgetAll(isFresh: true)
            #expect(try await platform.introspect(token, as: server).isInactive)
        }
    }

    @Test("a scope that two APIs have is granted once")
    func sharedScope() async throws {
        try await TestPlatform.run { platform in
            let application = platform.acme.applications[0].client_id
            for audience in [Self.orders, Self.bills] { try await platform.createAPI(audience, scopes: ["read"], for: [application: nil]) }
            let login = try await login(platform, scope: "")
            #expect(try await redeem(login).string("scope") == "read")
        }
    }

    @Test("without resource, a scope of an API is unknown; a scope that is too long is refused")
    func scopes() async throws {
        try await TestPlatform.run { platform in
            let application = platform.acme.applications[0].client_id
            let long = (0..<20).map { "scope-\($0)-\(String(repeating: "x", count: 60))" }
            try await platform.createAPI(Self.orders, scopes: ["orders:read"] + long, for: [application: nil])
            var request = TestBrowser.Request(platform.acme)
            let browser = TestBrowser(platform)
            request.scope = "orders:read"
            #expect(try await browser.get(request.authorizeURL).reports(request, "invalid_scope"))
            request.scope = ""
            let all = try await browser.get("\(request.authorizeURL)&resource=\(Form.encode(Self.orders))")
            #expect(all.reports(request, "invalid_scope"))
            // Without a target, the default is as before.
            #expect(try await browser.tokens(request)["scope"] as? String == "openid profile email")
        }
    }
}
