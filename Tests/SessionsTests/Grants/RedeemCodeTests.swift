import Access
import Crypto
import Encoding
import Foundation
import JWTKit
import NIOHTTP1
import Postgres
import Server
@testable import Sessions
import Tenancy
import TestSupport
import Testing
@testable import Users
import Web

@Suite("Redeem code")
struct RedeemCodeTests {
    /// The form of the grant, with parameters changed, or removed if nil.
    private static func form(
        _ code: String, _ request: TestBrowser.Request, changing changes: [String: String?] = [:]
    ) -> [(String, String)] {
        let form = [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", request.redirectURI),
            ("code_verifier", request.verifier),
        ]
        return form.filter { changes[$0.0] == nil } + changes.compactMap { name, value in value.map { (name, $0) } }
    }

    @Test("a code is single-use; a second redemption ends the session of the first one, and is audited")
    func singleUse() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            let first = try await browser.redeem(code, request)
            #expect(first.status == 200)
            #expect(try await browser.userInfo(first.string("access_token"), of: platform.acme).status == 200)

            // Repetitions write nothing more, because a caller must not be able to fill the audit trail.
            for _ in 0..<3 { #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant")) }
            #expect(try await browser.refresh(first.string("refresh_token")!, request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.userInfo(first.string("access_token"), of: platform.acme).status == 401)
            #expect(try await platform.count("session", where: "ended_reason = 'code_replayed'") == 1)
            let actor = request.application.client_id
            #expect(try await platform.count("audit_event", where: "action = 'session.code_replayed' AND actor = '\(actor)'") == 1)
            // The login took place, once.
            #expect(try await platform.count("session") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a copy that is redeemed after one minute gets nothing, and ends the session of the first redemption")
    func lateReplay() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            // The user whose ID the code contains.
            _ = try await browser.code(request)
            let user = try await platform.ownerPool.run("SELECT id FROM tenant_user")[0].get("id", as: ID<User>.self)
            let acme = try await platform.configuration(of: platform.acme)
            let query = String(request.authorizeURL.split(separator: "?")[1])
            let asked = try AuthorizationRequest(try Form(query), from: acme.applications, issuer: platform.acme.issuer)
            let login = ID<LoginID>(at: Date())
            func sealed(at issued: Date) -> String {
                AuthorizationCode(
                    login: login, tenant: acme.tenant.id, application: asked.application.id, user: user, connection: .own,
                    redirectURI: request.redirectURI, codeChallenge: asked.codeChallenge, nonce: asked.nonce, scope: asked.scope,
                    authenticatedAt: issued, device: Device(), at: issued
                ).sealed(with: platform.settings.keyring)
            }
            let first = try await browser.redeem(sealed(at: Date()), request)
            #expect(first.status == 200)
            #expect(try await browser.redeem(sealed(at: Date(timeIntervalSinceNow: -61)), request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.userInfo(first.string("access_token"), of: platform.acme).status == 401)
            #expect(try await platform.count("session", where: "ended_reason = 'code_replayed'") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("of concurrent redemptions at most one succeeds, and its session ends")
    func racing() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { tasks in
                for _ in 0..<6 { tasks.addTask { try await browser.redeem(code, request) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count { $0.status == 200 } == 1)
            #expect(answers.count { $0.isOAuthError(400, "invalid_grant") } == 5)
            #expect(try await platform.count("session", where: "ended_at IS NOT NULL") == 1)
            #expect(try await platform.countBilled() == 1)
        }
    }

    @Test("a code is bound to its application, redirect URI and verifier; a refusal does not use it up")
    func bindings() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            var otherApplication = request
            otherApplication.application = platform.acme.applications[2]
            var otherTenant = TestBrowser.Request(platform.globex)
            (otherTenant.verifier, otherTenant.redirectURI) = (request.verifier, request.redirectURI)
            for thief in [otherApplication, otherTenant] {
                #expect(try await browser.redeem(code, thief).isOAuthError(400, "invalid_grant"))
            }
            let cases: [([String: String?], String)] = [
                (["redirect_uri": "https://app.test/callback/"], "invalid_grant"),
                (["redirect_uri": "https://app.test/Callback"], "invalid_grant"),
                (["redirect_uri": nil], "invalid_request"), (["redirect_uri": ""], "invalid_request"),
                (["code_verifier": nil], "invalid_grant"), (["code_verifier": TestBrowser.randomText()], "invalid_grant"),
                (["code_verifier": request.challenge], "invalid_grant"),
                (["code_verifier": String(request.verifier.dropLast())], "invalid_grant"),
                (["code_verifier": request.verifier + " "], "invalid_grant"), (["code": nil], "invalid_request"),
                (["code": ""], "invalid_request"),
                (["code": String(code.dropLast())], "invalid_grant"), (["code": code + "A"], "invalid_grant"),
                (["code": "x"], "invalid_grant"),
                (["code": String(repeating: "A", count: 5000)], "invalid_grant"),
            ]
            for (changes, error) in cases {
                let answer = try await browser.token(request, Self.form(code, request, changing: changes))
                #expect(answer.isOAuthError(400, error), "\(changes): \(answer.status) \(answer.body)")
            }
            // Another sealed value of Espalier is not a code.
            let attempt = try #require(try await browser.authorize(request)["state"])
            #expect(try await browser.redeem(attempt, request).isOAuthError(400, "invalid_grant"))

            #expect(try await platform.count("session") == 0)
            #expect(try await platform.countBilled() == 0)
            #expect(try await platform.count("audit_event") == 0)
            #expect(try await browser.redeem(code, request).status == 200)
        }
    }

    @Test("a verifier for a code without a challenge is refused, because an attacker removed the challenge")
    func downgrade() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme, application: 2))
            let toApple = try await browser.get(request.authorizeURL(changing: ["code_challenge": nil, "code_challenge_method": nil]))
            let code = try #require(try await browser.callback(try await browser.atApple(toApple, person: "new"))["code"])
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
            #expect(try await browser.token(request, Self.form(code, request, changing: ["code_verifier": nil])).status == 200)

            // An exempt application that used PKCE must complete it.
            let strict = try await browser.code(request)
            #expect(
                try await browser.token(request, Self.form(strict, request, changing: ["code_verifier": nil])).isOAuthError(
                    400, "invalid_grant"))
            #expect(try await browser.redeem(strict, request).status == 200)
        }
    }

    @Test("a code of a deleted user gets nothing and costs nothing")
    func userGone() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let code = try await browser.code(request)
            _ = try await platform.ownerPool.run("DELETE FROM tenant_user")
            #expect(try await browser.redeem(code, request).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.countBilled() == 0)
        }
    }

    @Test("tokens have the form of RFC 6749 and are never cached")
    func form() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let answer = try await browser.redeem(try await browser.code(request), request)
            #expect(Set(answer.json.keys) == ["access_token", "token_type", "expires_in", "refresh_token", "id_token", "scope"])
            #expect(answer.json["token_type"] as? String == "Bearer")
            #expect(answer.json["expires_in"] as? Int == 3600)
            #expect(answer.headers["Cache-Control"] == ["no-store"])
            #expect(answer.headers["Pragma"] == ["no-cache"])
            #expect(answer.headers["Content-Type"] == ["application/json"])
        }
    }

    // MARK: Tokens

    /// The tenant's keys, read as an application reads them.
    private static func keys(_ tenant: SeedResult.TenantResult, _ browser: TestBrowser) async throws -> JWTKeyCollection {
        let answer = try await browser.get("\(tenant.issuer)/oauth2/jwks")
        return try await JWTKeyCollection().add(jwks: JSONDecoder().decode(JWKS.self, from: Data(answer.body.utf8)))
    }

    private struct IDClaims: JWTPayload {
        let iss: IssuerClaim
        let aud: AudienceClaim
        let exp: ExpirationClaim
        let iat: IssuedAtClaim
        let sub, sid, nonce, at_hash, name, given_name, family_name, email: String
        let auth_time: Int
        let email_verified, is_private_email: Bool

        func verify(using algorithm: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
    }

    private struct AccessClaims: JWTPayload {
        let iss, sub, aud, client_id, tid, sid, jti, scope, user_type: String
        let exp: ExpirationClaim
        let iat: IssuedAtClaim

        func verify(using algorithm: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
    }

    @Test("the id_token verifies with the JWKS and contains the user, the issuer, the time and the application")
    func idToken() async throws {
        try await TestPlatform.run { platform in
            for tenant in platform.seeded.tenants {
                let (browser, request) = (TestBrowser(platform), TestBrowser.Request(tenant))
                let before = Int(Date().timeIntervalSince1970)
                let tokens = try await browser.tokens(request, person: "Grace Hopper")
                let after = Int(Date().timeIntervalSince1970)
                let idToken = try #require(tokens["id_token"] as? String)
                let claims = try await Self.keys(tenant, browser).verify(idToken, as: IDClaims.self)
                #expect(claims.iss.value == tenant.issuer)
                #expect(claims.aud.value == [request.application.client_id])
                #expect(claims.nonce == request.nonce)
                #expect((before...after).contains(Int(claims.iat.value.timeIntervalSince1970)))
                #expect(claims.exp.value.timeIntervalSince(claims.iat.value) == 3600)
                #expect((before...after).contains(claims.auth_time))
                #expect(claims.name == "Grace Hopper")
                #expect([claims.given_name, claims.family_name] == ["Grace", "Hopper"])
                #expect(claims.email == "grace-hopper@example.com")
                #expect(claims.email_verified)
                #expect(!claims.is_private_email)

                let access = try #require(tokens["access_token"] as? String)
                // OpenID Connect Core, section 3.1.3.6: the left half of the hash.
                #expect(claims.at_hash == Array(SHA256.hash(data: Data(access.utf8)).prefix(16)).base64URL)
                let accessClaims = try await Self.keys(tenant, browser).verify(access, as: AccessClaims.self)
                #expect(accessClaims.sid == claims.sid)
                #expect(accessClaims.sub == claims.sub)
                #expect(try await platform.count("session", where: "id = '\(ID<Session>(claims.sid)!.uuid)'") == 1)
                #expect(try await platform.countBilled(where: "id = '\(ID<Session>(claims.sid)!.uuid)'") == 1)
            }
        }
    }

    @Test("the access token follows RFC 9068, for the tenant's own resources")
    func accessToken() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request)
            let token = try #require(tokens["access_token"] as? String)
            let claims = try await Self.keys(platform.acme, browser).verify(token, as: AccessClaims.self)
            #expect(claims.iss == platform.acme.issuer)
            #expect(claims.aud == platform.acme.issuer)
            #expect(claims.client_id == request.application.client_id)
            #expect(claims.tid == platform.acme.id)
            #expect(claims.scope == "openid profile email")
            #expect(claims.user_type == "apple")
            #expect(claims.exp.value.timeIntervalSince(claims.iat.value) == 3600)
            let (header, idHeader) = (try jwtHeader(token), try jwtHeader(tokens["id_token"] as? String))
            #expect(header["typ"] == "at+jwt")
            #expect(idHeader["typ"] == "JWT")
            #expect(header["alg"] == "ES256")
            #expect(header["kid"] == idHeader["kid"])
            let next = try #require(try await browser.tokens(request)["access_token"] as? String)
            #expect(try await Self.keys(platform.acme, browser).verify(next, as: AccessClaims.self).jti != claims.jti)
        }
    }

    @Test("the token's lifetime is the application's setting")
    func lifetime() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run("UPDATE application SET access_token_seconds = 61")
            let tokens = try await TestBrowser(platform).tokens(.init(platform.acme))
            #expect(tokens["expires_in"] as? Int == 61)
            let claims = try claims(of: tokens["access_token"] as? String)
            #expect((claims["exp"] as! Int) - (claims["iat"] as! Int) == 61)
        }
    }

    @Test("scopes select the claims; unknown ones are dropped, and without openid there is no id_token")
    func scopes() async throws {
        try await TestPlatform.run { platform in
            for (asked, granted, reported) in [
                ("openid", "openid", []), ("openid email", "openid email", ["email", "email_verified", "is_private_email"]),
                ("profile openid", "openid profile", ["name", "given_name", "family_name"]),
                (
                    "profile email admin *", "profile email",
                    ["email", "email_verified", "is_private_email", "name", "given_name", "family_name"]
                ),
                ("openid OPENID offline_access", "openid offline_access", []),
                // A request without a scope, or with an empty one.
                (
                    "", "openid profile email",
                    ["email", "email_verified", "is_private_email", "name", "given_name", "family_name"]
                ),
            ] {
                let browser = TestBrowser(platform)
                var request = TestBrowser.Request(platform.acme)
                request.scope = asked
                let tokens = try await browser.tokens(request)
                #expect(tokens["scope"] as? String == granted)
                #expect((tokens["id_token"] != nil) == granted.contains("openid"))
                let userInfo = try await browser.userInfo(tokens["access_token"] as? String, of: platform.acme)
                if granted.contains("openid") {
                    #expect(Set(userInfo.json.keys) == Set(reported + ["sub"]), "\(asked)")
                } else {
                    #expect(userInfo.status == 403)
                    #expect(userInfo.json["error"] as? String == "insufficient_scope")
                }
                if tokens["id_token"] != nil {
                    let always: Set = ["iss", "sub", "aud", "sid", "iat", "exp", "auth_time", "nonce", "at_hash", "amr"]
                    #expect(Set(try claims(of: tokens["id_token"] as? String).keys) == always.union(reported), "\(asked)")
                }
            }
        }
    }
}
