import Access
import Crypto
import Encoding
import Foundation
import NIOHTTP1
import Postgres
import Server
@testable import Sessions
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("User info")
struct UserInfoTests {
    @Test("it returns the access token's user, by GET and by POST, never cached")
    func reports() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request, person: "Grace Hopper")
            let url = "\(platform.acme.issuer)/oauth2/userinfo"
            for (method, scheme) in [("GET", "Bearer"), ("POST", "bearer")] {
                let header = ("Authorization", "\(scheme) \(tokens["access_token"] as! String)")
                let answer = try await browser.send(method, url, headers: [header], body: nil)
                #expect(answer.status == 200)
                #expect(answer.string("sub") == (try claims(of: tokens["id_token"] as? String))["sub"] as? String)
                #expect(answer.string("name") == "Grace Hopper")
                #expect(answer.string("email") == "grace-hopper@example.com")
                #expect(answer.json["email_verified"] as? Bool == true)
                #expect(answer.headers["Cache-Control"] == ["no-store"])
            }
        }
    }

    @Test("without a valid access token of this tenant, it returns invalid_token and how to send one")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let tokens = try await browser.tokens(request)
            let access = tokens["access_token"] as! String
            let foreign = try await browser.tokens(.init(platform.globex))["access_token"] as! String
            let parts = access.split(separator: ".").map(String.init)
            func header(_ alg: String, _ typ: String = "at+jwt") throws -> String {
                Array(#"{"alg":"\#(alg)","kid":"\#(try jwtHeader(access)["kid"]!)","typ":"\#(typ)"}"#.utf8).base64URL
            }
            // Known attacks: no signature, and one with public data as its key.
            let jwks = try await browser.get("\(platform.acme.issuer)/oauth2/jwks").body
            let input = "\(try header("HS256")).\(parts[1])"
            let mac = Array(HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: Data(jwks.utf8)))).base64URL
            var claims = Array(parts[1])
            claims[claims.count / 2] = claims[claims.count / 2] == "A" ? "B" : "A"
            for token in [
                "", "x", "a.b.c", tokens["id_token"] as! String, tokens["refresh_token"] as! String, foreign, access + "x",
                String(access.dropLast(8)), "\(parts[0]).\(parts[1]).", "\(parts[0]).\(parts[1])", "\(try header("none")).\(parts[1]).",
                "\(input).\(mac)", "\(parts[0]).\(String(claims)).\(parts[2])", "\(try header("ES256", "JWT")).\(parts[1]).\(parts[2])",
                String(repeating: "a", count: 5000), platform.acme.api_keys[0].secret,
            ] {
                let answer = try await browser.userInfo(token, of: platform.acme)
                #expect(answer.isOAuthError(401, "invalid_token"), "\(token.prefix(40)): \(answer.status) \(answer.body)")
                #expect(answer.headers.first(name: "WWW-Authenticate")?.hasPrefix("Bearer realm=\"espalier\"") == true)
                if token.utf8.count > 8 { #expect(!answer.body.contains(token)) }
            }
            let url = "\(platform.acme.issuer)/oauth2/userinfo"
            for headers in [[], [("Authorization", "Basic \(access)")], [("Authorization", access)]] {
                let answer = try await browser.get(url, headers: headers)
                #expect(answer.isOAuthError(401, "invalid_token"))
                // RFC 6750, section 3.1: a caller without a token gets no error.
                #expect(answer.headers["WWW-Authenticate"] == ["Bearer realm=\"espalier\""])
            }
            // The URL is not accepted, because URLs are logged.
            for method in ["GET", "POST"] {
                let answer = try await browser.send(method, "\(url)?access_token=\(access)", headers: [], body: nil)
                #expect(answer.isOAuthError(401, "invalid_token"))
            }
            #expect(try await browser.userInfo(access, of: platform.acme).status == 200)
        }
    }

    @Test("without the scope openid, it returns insufficient_scope")
    func withoutOpenID() async throws {
        try await TestPlatform.run { platform in
            var request = TestBrowser.Request(platform.acme)
            request.scope = "profile email"
            let tokens = try await TestBrowser(platform).tokens(request)
            #expect(tokens["id_token"] == nil)
            let answer = try await TestBrowser(platform).userInfo(tokens["access_token"] as? String, of: platform.acme)
            #expect(answer.isOAuthError(403, "insufficient_scope"))
            #expect(answer.header("WWW-Authenticate")?.contains("error=\"insufficient_scope\"") == true)
        }
    }

    @Test("an access token ends with its time, its session and its user")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            let token = try #require(try await browser.tokens(request)["access_token"] as? String)
            #expect(try await browser.userInfo(token, of: platform.acme).status == 200)

            let claims = try claims(of: token)
            let acme = try await platform.configuration(of: platform.acme)
            let keys = SigningKeys(pool: platform.pool, keyring: platform.settings.keyring, now: { Date() })
            func made(at time: Date, issuer: String) async throws -> String {
                try AccessToken(
                    issuer: issuer, user: ID(claims["sub"] as! String)!,
                    application: acme.applications[ID(request.application.client_id)!]!,
                    tenant: acme.tenant.id, session: ID(claims["sid"] as! String)!, scope: "openid", at: time
                ).signed(by: try await keys.current(.ES256, of: acme.tenant.id), of: keys)
            }
            let issuer = platform.acme.issuer
            #expect(try await browser.userInfo(try await made(at: Date() - 3540, issuer: issuer), of: platform.acme).status == 200)
            #expect(keys.verified.count == 1, "the process that signs a token remembers it")
            #expect(try await browser.userInfo(try await made(at: Date() - 3601, issuer: issuer), of: platform.acme).status == 401)
            #expect(try await browser.userInfo(try await made(at: Date(), issuer: platform.globex.issuer), of: platform.acme).status == 401)

            for end: SQL in [
                "UPDATE session SET ended_at = now(), ended_reason = 'code_replayed'", "UPDATE session SET expires_at = now()",
                "DELETE FROM tenant_user",
            ] {
                let token = try #require(try await browser.tokens(request)["access_token"] as? String)
                #expect(try await browser.userInfo(token, of: platform.acme).status == 200)
                _ = try await platform.ownerPool.run(end)
                #expect(try await browser.userInfo(token, of: platform.acme).status == 401)
            }
        }
    }
}
