import Foundation
import Postgres
import Server
import Tenancy
import Testing
import TestSupport

@Suite("AuthKit authenticate")
struct AuthKitAuthenticateTests {
    @Test("a code becomes a session with all members, for each kind of application and each secret", arguments: [0, 1, 2])
    func session(application: Int) async throws {
        try await TestPlatform.run { platform in
            var client = AuthKitClient(platform, application: application)
            if application == 0 { client.secret = client.request.application.client_secret }
            let answer = try await client.redeem(try await client.code(person: "Ada Lovelace"))
            #expect(answer.status == 200, "\(answer.body)")
            #expect(answer.header("Cache-Control") == "no-store")
            #expect(answer.header("X-Request-ID") == answer.header("Request-Id"))
            #expect(
                Set(answer.json.keys) == [
                    "user", "organization_id", "access_token", "refresh_token", "authentication_method", "impersonator", "sealed_session",
                ])
            #expect(answer.string("organization_id") == client.organization)
            #expect(answer.string("authentication_method") == "AppleOAuth")
            let user = answer.user
            #expect(user["first_name"] as? String == "Ada")
            #expect(user["name"] as? String == "Ada Lovelace")
            #expect(user["email_verified"] as? Bool == true)
            for name in ["profile_picture_url", "external_id", "locale"] { #expect(user[name] is NSNull, "\(name)") }
            #expect(user["last_sign_in_at"] is String)
            #expect(try await client.billed() == 1)

            let claims = try claims(of: answer.accessToken)
            #expect(
                Set(claims.keys) == [
                    "iss", "sub", "sid", "org_id", "role", "roles", "permissions", "auth_time", "jti", "iat", "exp",
                ])
            #expect(claims["iss"] as? String == "\(TestPlatform.publicURL)/user_management/\(client.clientID)")
            #expect(claims["sub"] as? String == user["id"] as? String)
            #expect(claims["org_id"] as? String == client.organization)
            #expect((claims["exp"] as? Int ?? 0) - (claims["iat"] as? Int ?? 0) == 3600)
            // Espalier's own endpoints do not accept it.
            #expect(try await client.browser.userInfo(answer.accessToken, of: platform.acme).status == 401)
        }
    }

    @Test("a form works like JSON")
    func form() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let answer = try await client.browser.post(
                "\(AuthKitClient.root)/authenticate",
                form: [
                    ("client_id", client.clientID), ("client_secret", client.secret ?? ""), ("grant_type", "authorization_code"),
                    ("code", try await client.code()), ("user_agent", "x"),
                ])
            #expect(answer.status == 200, "\(answer.body)")
        }
    }

    @Test("a refresh token works once, and its reuse ends the session")
    func refresh() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let first = try await client.login()
            let second = try await client.refresh(first.string("refresh_token"), ["organization_id": client.organization])
            #expect(second.status == 200, "\(second.body)")
            #expect(second.string("refresh_token") != first.string("refresh_token"))
            #expect(try claims(of: second.accessToken)["sid"] as? String == claims(of: first.accessToken)["sid"] as? String)
            #expect(try claims(of: second.accessToken)["jti"] as? String != claims(of: first.accessToken)["jti"] as? String)
            #expect(second.user["id"] as? String == first.user["id"] as? String)
            // Racing tabs get the same tokens.
            let again = try await client.refresh(first.string("refresh_token"))
            #expect(again.body == second.body)
            let other = try await client.refresh(second.string("refresh_token"), ["organization_id": platform.globex.id])
            #expect(other.isOAuthError(400, "invalid_grant"))
            _ = try await platform.ownerPool.run("UPDATE session SET refreshed_at = refreshed_at - interval '31 seconds'")
            #expect(try await client.refresh(first.string("refresh_token")).isOAuthError(400, "invalid_grant"))
            #expect(try await client.refresh(second.string("refresh_token")).isOAuthError(400, "invalid_grant"))
            #expect(try await client.billed() == 1)
        }
    }

    @Test("a retry with the same Idempotency-Key gets the first response; any other repetition ends the session")
    func retries() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let (code, key) = (try await client.code(), [("Idempotency-Key", "b7e0f0d2-7f0e-4a43-9f0e-6a4b4f0f4a11")])
            let first = try await client.redeem(code, headers: key)
            #expect(first.status == 200, "\(first.body)")
            for _ in 0..<2 { #expect(try await client.redeem(code, headers: key).body == first.body) }
            #expect(try await client.billed() == 1)
            let stored = try await platform.ownerPool.run("SELECT FROM single_use")
            #expect(stored.count == 1)

            #expect(try await client.redeem(code, headers: [("Idempotency-Key", "another")]).isOAuthError(400, "invalid_grant"))
            #expect(try await client.refresh(first.string("refresh_token")).isOAuthError(400, "invalid_grant"))
            #expect(try await client.redeem(code, headers: key).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("after a refresh, a retry gets no tokens")
    func lateRetry() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let (code, key) = (try await client.code(), [("Idempotency-Key", "one")])
            let first = try await client.redeem(code, headers: key)
            #expect(try await client.refresh(first.string("refresh_token")).status == 200)
            #expect(try await client.redeem(code, headers: key).isOAuthError(400, "invalid_grant"))
        }
    }

    @Test("a wrong client gets 401, and a code of another application 400")
    func clients() async throws {
        try await TestPlatform.run { platform in
            var client = AuthKitClient(platform)
            let code = try await client.code()
            let (own, other) = (client.secret ?? "", platform.globex.api_keys[0].secret)
            for secret in [nil, "x", other, String(own.dropLast()) + "_", platform.operatorKey] {
                client.secret = secret
                #expect(try await client.redeem(code).isOAuthError(401, "invalid_client"), "\(secret ?? "none")")
            }
            // To end sessions is not to start them.
            client.secret = try await platform.issue(scopes: ["users:read", "sessions:write"]).string("secret")
            #expect(try await client.redeem(code).isOAuthError(400, "unauthorized_client"))
            client.secret = try await platform.issue(scopes: ["authenticate:write"]).string("secret")
            #expect(try await client.redeem(try await client.code()).status == 200)
            client.secret = own
            for id in ["client_00000000000000000000000000", "x", platform.acme.id] {
                #expect(try await client.redeem(code, ["client_id": id]).isOAuthError(401, "invalid_client"))
            }
            #expect(try await client.redeem(code, ["client_id": nil]).isOAuthError(400, "invalid_request"))
            #expect(
                try await client.redeem(code, ["client_id": platform.acme.applications[0].client_id]).isOAuthError(400, "invalid_grant"))
            #expect(try await client.redeem(code).status == 200)
        }
    }

    @Test("an invalid request gets 400, and uses up no code")
    func invalid() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let code = try await client.code()
            let cases: [([String: String?], String)] = [
                (["grant_type": nil], "invalid_request"), (["grant_type": "password"], "unsupported_grant_type"),
                (["code": nil], "invalid_request"), (["code": "x"], "invalid_grant"), (["code_verifier": "x"], "invalid_grant"),
                (["invitation_token": "x"], "invalid_request"),
            ]
            for (changes, error) in cases {
                #expect(try await client.redeem(code, changes).isOAuthError(400, error), "\(changes)")
            }
            for body in ["", "{", "[]", #"{"client_id": 1}"#] {
                let answer = try await client.browser.send(
                    "POST", "\(AuthKitClient.root)/authenticate", headers: [("Content-Type", "application/json")], body: body)
                #expect(answer.isOAuthError(400, "invalid_request"), "\(body)")
            }
            let plain = try await client.browser.send(
                "POST", "\(AuthKitClient.root)/authenticate", headers: [("Content-Type", "text/plain")], body: "x")
            #expect(plain.isOAuthError(400, "invalid_request"))
            #expect(try await client.redeem(code).status == 200)
        }
    }

    /// This interface does not repeat the redirect URI. So a code that was sent to a weaker URI of the application must not work here.
    @Test("a code works only in the interface that the sign-in started in")
    func otherInterface() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform, application: 0)
            let code = try #require(try await TestBrowser(platform).signIn(client.request)["code"])
            #expect(try await client.redeem(code).isOAuthError(400, "invalid_grant"))
            let own = try await client.code()
            for uri in [client.request.redirectURI, "none", ""] {
                let form = [
                    ("grant_type", "authorization_code"), ("code", own), ("redirect_uri", uri), ("code_verifier", client.request.verifier),
                ]
                let answer = try await client.browser.token(client.request, form)
                #expect(answer.status == 400 && ["invalid_grant", "invalid_request"].contains(answer.string("error")), "\(uri)")
            }
            #expect(try await client.billed() == 0)
        }
    }

    @Test("an API key does not replace the key of an application that authenticates by private_key_jwt")
    func privateKey() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let code = try await client.code()
            _ = try await platform.ownerPool.run(
                "UPDATE application SET token_endpoint_auth_method = 'private_key_jwt', jwks_uri = 'https://app.test/jwks' WHERE kind = 'web'"
            )
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await client.redeem(code).isOAuthError(401, "invalid_client"))
        }
    }
}
