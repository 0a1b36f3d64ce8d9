import Access
@testable import Encoding
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

@Suite("Introspect")
struct IntrospectTests {
    @Test("a resource server reads an access token's claims; an application reads its own tokens', with either authentication")
    func active() async throws {
        try await TestPlatform.run { platform in
            let server = try await platform.resourceServer()
            let login = try await platform.login("Grace Hopper")
            let said = try claims(of: login.access)
            let web = Credentials(login.request.application)
            for caller in [server, web] {
                let posted = try await platform.introspect(login.access, as: caller)
                let url = "\(platform.acme.issuer)/oauth2/introspect"
                let basic = try await TestBrowser(platform).post(
                    url, form: [("token", login.access), ("token_type_hint", "refresh_token")], headers: [caller.basic])
                for answer in [posted, basic] {
                    #expect(answer.status == 200, "\(answer.body)")
                    #expect(answer.header("Cache-Control") == "no-store")
                    #expect(
                        Set(answer.json.keys) == [
                            "active", "scope", "client_id", "token_type", "exp", "iat", "sub", "aud", "iss", "jti", "sid", "tid",
                        ])
                    #expect(answer.json["active"] as? Bool == true)
                    #expect(answer.string("token_type") == "Bearer")
                    for name in ["scope", "client_id", "exp", "iat", "sub", "aud", "iss", "jti", "sid", "tid"] {
                        #expect("\(answer.json[name]!)" == "\(said[name]!)", "\(name)")
                    }
                }
            }
        }
    }

    @Test("only its application can inspect a refresh token; for a resource server it is inactive")
    func refreshToken() async throws {
        try await TestPlatform.run { platform in
            let server = try await platform.resourceServer()
            let login = try await platform.login()
            let own = Credentials(login.request.application)
            let answer = try await platform.introspect(login.refresh, as: own)
            #expect(Set(answer.json.keys) == ["active", "scope", "client_id", "exp", "iat", "sub", "iss", "sid", "tid"])
            #expect(answer.json["active"] as? Bool == true)
            #expect(answer.string("sub") == login.user)
            #expect(answer.string("sid") == login.session)
            let (exp, iat) = (try #require(answer.json["exp"] as? Int), try #require(answer.json["iat"] as? Int))
            // The idle limit is 30 days.
            #expect(abs(exp - iat - 30 * 86400) <= 1)
            #expect(try await platform.introspect(login.refresh, as: server).isInactive)
            #expect(try await platform.introspect(login.refresh, as: Credentials(platform.acme.applications[2])).isInactive)

            // For a moment, a used token still returns its successor. Afterwards it is inactive. Introspection ends nothing.
            let next = try #require(try await login.browser.refresh(login.refresh, login.request).string("refresh_token"))
            #expect(try await platform.introspect(login.refresh, as: own).json["active"] as? Bool == true)
            _ = try await platform.ownerPool.run("UPDATE session SET refreshed_at = refreshed_at - interval '31 seconds'")
            #expect(try await platform.introspect(login.refresh, as: own).isInactive)
            #expect(try await platform.introspect(next, as: own).json["active"] as? Bool == true)
        }
    }

    @Test("an invalid token, another tenant's and one that the caller may not inspect are inactive, without other members")
    func inactive() async throws {
        try await TestPlatform.run { platform in
            let server = try await platform.resourceServer()
            let login = try await platform.login()
            let foreign = try await platform.login("new", platform.globex)
            var said = try claims(of: login.access)
            let at = ["typ": "at+jwt"]
            // The original token is active. Each of the others differs in one part.
            #expect(try await platform.introspect(try await platform.sign(said, header: at), as: server).json["active"] as? Bool == true)
            var tokens = [
                "x", "a.b.c", login.idToken, foreign.access, foreign.refresh, login.access + "x", String(login.access.dropLast(8)),
                String(login.refresh.dropLast()) + (login.refresh.hasSuffix("A") ? "Q" : "A"), platform.acme.api_keys[0].secret,
                String(repeating: "a", count: 5000),
                "ert_\u{0}", try await platform.sign(said), try await platform.sign(said, platform.globex, header: at),
                try await platform.sign(said, header: ["typ": "at+jwt", "alg": "none"]),
                try await platform.sign(said, header: ["typ": "logout+jwt"]),
            ]
            let now = Int(Date().timeIntervalSince1970)
            for (name, value) in [
                ("exp", now - 1), ("iss", platform.globex.issuer), ("tid", platform.globex.id), ("sid", foreign.session),
                ("client_id", platform.acme.applications[2].client_id), ("client_id", foreign.request.application.client_id),
            ] as [(String, any Sendable)] {
                let right = said[name]
                said[name] = value
                tokens.append(try await platform.sign(said, header: at))
                said[name] = right
            }
            for token in tokens {
                let answer = try await platform.introspect(token, as: server)
                #expect(answer.isInactive, "\(token.prefix(40)): \(answer.status) \(answer.body)")
            }
            // The token is valid, but belongs to another application.
            #expect(try await platform.introspect(login.access, as: Credentials(platform.acme.applications[2])).isInactive)
            // Another tenant's endpoint knows no application of this tenant.
            #expect(try await platform.introspect(login.access, as: server, platform.globex).isOAuthError(401, "invalid_client"))
            #expect(
                try await platform.introspect(login.access, as: Credentials(platform.globex.applications[0]), platform.globex).isInactive)
        }
    }

    @Test("a token ends with its session, its user and all its other conditions")
    func ends() async throws {
        try await TestPlatform.run { platform in
            let server = try await platform.resourceServer()
            let login = try await platform.login()
            let own = Credentials(login.request.application)
            for (what, end, restore) in [
                ("ended", "session SET ended_at = now(), ended_reason = 'revoked'", "session SET ended_at = NULL, ended_reason = NULL"),
                ("expired", "session SET expires_at = now()", "session SET expires_at = now() + interval '90 days'"),
                ("unused", "session SET refreshed_at = now() - interval '30 days'", "session SET refreshed_at = now()"),
                ("unused for the tenant", "tenant SET idle_seconds = 300", "tenant SET idle_seconds = NULL"),
                (
                    "deleted", "tenant_user SET deleted_at = now(), erase_after = now()",
                    "tenant_user SET deleted_at = NULL, erase_after = NULL"
                ),
                (
                    "signed out everywhere", "tenant_user SET tokens_valid_after = s.created_at FROM session s",
                    "tenant_user SET tokens_valid_after = s.created_at - interval '1 second' FROM session s"
                ),
            ] {
                if what == "unused for the tenant" {
                    _ = try await platform.ownerPool.run("UPDATE session SET refreshed_at = now() - interval '301 seconds'")
                }
                // A longer limit applies when the process has read the tenant again.
                try await eventually("active before: \(what)") {
                    try await platform.introspect(login.access, as: server).json["active"] as? Bool == true
                }
                _ = try await platform.ownerPool.run(SQL(unsafe: "UPDATE \(end)"))
                #expect(try await platform.introspect(login.access, as: server).isInactive, "\(what)")
                #expect(try await platform.introspect(login.refresh, as: own).isInactive, "\(what)")
                _ = try await platform.ownerPool.run(SQL(unsafe: "UPDATE \(restore)"))
            }
            #expect(try await platform.introspect(login.refresh, as: own).json["active"] as? Bool == true)
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(login.user)").status == 204)
            #expect(try await platform.introspect(login.access, as: server).isInactive)

            let other = try await platform.login()
            #expect(try await platform.introspect(other.access, as: server).json["active"] as? Bool == true)
            let application = other.request.application.client_id
            #expect(try await platform.call("DELETE", "/tenants/acme/applications/\(application)").status == 204)
            #expect(try await platform.introspect(other.access, as: server).isInactive)
        }
    }

    @Test("a caller that is not an application with a secret learns nothing")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login("new", application: 1)
            let web = Credentials(platform.acme.applications[0])
            let url = "\(platform.acme.issuer)/oauth2/introspect"
            // This includes the public application that owns the token.
            for caller in [
                Credentials(login.request.application), Credentials(id: web.id, secret: nil), Credentials(id: web.id, secret: "eas_x"),
                Credentials(id: "app_x", secret: web.secret), Credentials(platform.globex.applications[0]),
            ] {
                #expect(try await platform.introspect(login.access, as: caller).isOAuthError(401, "invalid_client"), "\(caller.id)")
            }
            let bearer = try await TestBrowser(platform).post(
                url, form: [("token", login.access)], headers: [("Authorization", "Bearer \(login.access)")])
            #expect(bearer.isOAuthError(401, "invalid_client"))
            #expect(bearer.header("WWW-Authenticate") == "Basic realm=\"espalier\"")
            // The endpoint also refuses a token in the URL, a missing token and another media type.
            let byURL = try await TestBrowser(platform).post("\(url)?token=\(login.access)", form: web.form)
            #expect(byURL.isOAuthError(400, "invalid_request"))
            #expect(try await TestBrowser(platform).get("\(url)?token=\(login.access)").status == 405)
            let json = try await TestBrowser(platform).send(
                "POST", url, headers: [("Content-Type", "application/json"), web.basic], body: "{}")
            #expect(json.isOAuthError(400, "invalid_request"))
            let twice = try await TestBrowser(platform).post(url, form: [("token", "a"), ("token", "b")] + web.form)
            #expect(twice.isOAuthError(400, "invalid_request"))
            #expect(try await TestBrowser(platform).post("\(TestPlatform.publicURL)/t/initech/oauth2/introspect", form: []).status == 404)
        }
    }
}
