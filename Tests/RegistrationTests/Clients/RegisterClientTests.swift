import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Register client")
struct RegisterClientTests {
    @Test("a web application gets a secret, signs a user in, and is in the administrators' list; the token is the actor")
    func web() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let client = try await registrant.client(
                Registrant.web.merging([
                    "client_uri": "https://shop.test", "contacts": ["ada@shop.test"], "software_id": "shop", "software_version": "1.2",
                    "post_logout_redirect_uris": ["https://app.test/bye"], "client_name#ja-Jpan-JP": "店", "unknown": ["a": 1],
                    "scope": "openid other", "token_endpoint_auth_method": "client_secret_post",
                    "backchannel_logout_session_required": true, "initiate_login_uri": "https://app.test/login", "logo_uri": NSNull(),
                    "dpop_bound_access_tokens": false, "frontchannel_logout_uri": "\(TestPlatform.redirectURI)/out",
                ]) { $1 })
            let answer = client.answer
            #expect(answer.header("Cache-Control") == "no-store" && answer.header("Access-Control-Allow-Origin") == nil)
            #expect(answer.string("client_secret")?.hasPrefix("eas_") == true && answer.json["client_secret_expires_at"] as? Int == 0)
            #expect(abs((answer.json["client_id_issued_at"] as? Double ?? 0) - Date().timeIntervalSince1970) < 300)
            #expect(client.token.wholeMatch(of: /era_[0-9A-Za-z]{43}/) != nil)
            #expect(client.uri == "\(registrant.endpoint)/\(client.id)")
            #expect(answer.json["redirect_uris"] as? [String] == [TestPlatform.redirectURI])
            #expect(answer.json["post_logout_redirect_uris"] as? [String] == ["https://app.test/bye"])
            #expect(answer.json["grant_types"] as? [String] == ["authorization_code", "refresh_token"])
            #expect(answer.json["response_types"] as? [String] == ["code"] && answer.json["contacts"] as? [String] == ["ada@shop.test"])
            #expect(answer.json["backchannel_logout_session_required"] as? Bool == true)
            #expect(answer.string("initiate_login_uri") == "https://app.test/login")
            #expect(answer.string("frontchannel_logout_uri") == "\(TestPlatform.redirectURI)/out")
            #expect(answer.json["frontchannel_logout_session_required"] as? Bool == false)
            for (member, value) in [
                ("client_name", "Shop"), ("application_type", "web"), ("token_endpoint_auth_method", "client_secret_post"),
                ("scope", "openid profile email offline_access"), ("subject_type", "public"), ("id_token_signed_response_alg", "RS256"),
                ("client_uri", "https://shop.test"), ("software_id", "shop"), ("software_version", "1.2"),
            ] { #expect(answer.string(member) == value, "\(member): \(answer.body)") }
            for member in ["unknown", "client_name#ja-Jpan-JP", "logo_uri", "jwks"] { #expect(answer.json[member] == nil) }

            let tokens = try await TestBrowser(platform).tokens(try registrant.request(client))
            #expect(try jwtHeader(tokens["id_token"] as? String)["alg"] == "RS256" && tokens["refresh_token"] != nil)

            let shown = try await platform.call("GET", "/tenants/acme/applications/\(client.id)")
            #expect(shown.string("kind") == "web" && shown.json["requires_pkce"] as? Bool == true)
            #expect(shown.json["returns_tokens_in_url"] as? Bool == false && shown.json["allows_development_uris"] as? Bool == false)
            let trail = try await platform.audited("registerClient")
            #expect(trail.map(\.actor) == [registrant.id] && trail.map(\.subject) == [client.id])
            for secret in [registrant.token, client.token, client.secret ?? "-", "ada@shop.test"] {
                #expect(trail.first?.text.contains(secret) == false)
            }
        }
    }

    @Test("the kind follows from the grants, the method, the type and the redirect URIs")
    func kinds() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform, nil, ["kinds": ["web", "spa", "native", "machine"]])
            let loopback = "http://127.0.0.1:33418/callback"
            let cases: [([String: any Sendable], kind: String, method: String, type: String)] = [
                (["redirect_uris": ["https://a.test/cb"]], "web", "client_secret_basic", "web"),
                (["redirect_uris": ["https://a.test/cb"], "token_endpoint_auth_method": "none"], "spa", "none", "web"),
                (["redirect_uris": [loopback], "token_endpoint_auth_method": "none"], "native", "none", "native"),
                (
                    ["redirect_uris": ["http://localhost:6274/cb", "https://a.test/cb"], "token_endpoint_auth_method": "none"], "native",
                    "none", "native"
                ),
                (["redirect_uris": ["com.example.app:/cb"]], "native", "none", "native"),
                (["redirect_uris": ["https://a.test/cb"], "application_type": "native"], "native", "none", "native"),
                (
                    ["redirect_uris": [loopback], "application_type": "native", "token_endpoint_auth_method": "client_secret_basic"], "web",
                    "client_secret_basic", "native"
                ),
                (
                    ["redirect_uris": ["http://localhost:6274/cb"], "application_type": "web", "token_endpoint_auth_method": "none"], "spa",
                    "none", "web"
                ),
                (["grant_types": ["client_credentials"]], "machine", "client_secret_basic", "web"),
            ]
            for (metadata, kind, method, type) in cases {
                let client = try await registrant.client(metadata)
                let shown = try await platform.call("GET", "/tenants/acme/applications/\(client.id)")
                #expect(shown.string("kind") == kind, "\(metadata)")
                #expect(client.answer.string("token_endpoint_auth_method") == method, "\(metadata)")
                #expect(client.answer.string("application_type") == type, "\(metadata)")
                #expect((client.secret != nil) == (method != "none") && shown.string("name") == client.id)
                #expect((client.answer.json["response_types"] as? [String]) == (kind == "machine" ? [] : ["code"]))
            }
            // A token without the kind permits no machine.
            let usual = try await Registrant.make(platform)
            let refused = try await usual.register(["grant_types": ["client_credentials"]])
            #expect(refused.refuses("invalid_client_metadata", naming: "machine"), "\(refused.body)")
        }
    }

    @Test("grants that Espalier lacks are left out; without refresh_token, a login gets a refresh token only with offline_access")
    func grants() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform, nil, ["requires_pkce": false])
            let more = try await registrant.client([
                "redirect_uris": [TestPlatform.redirectURI], "grant_types": ["authorization_code", "implicit", "refresh_token"],
                "response_types": ["code", "id_token"],
            ])
            #expect(more.answer.json["grant_types"] as? [String] == ["authorization_code", "refresh_token"])
            #expect(more.answer.json["response_types"] as? [String] == ["code"])
            let once = try await registrant.client(["redirect_uris": [TestPlatform.redirectURI]])
            #expect(once.answer.json["grant_types"] as? [String] == ["authorization_code"])
            var request = try registrant.request(once)
            #expect(try await TestBrowser(platform).tokens(request)["refresh_token"] == nil)
            request.scope = "openid offline_access"
            #expect(try await TestBrowser(platform).tokens(request)["refresh_token"] != nil)
            // The token exempts its web applications from PKCE, and only those.
            let page = try await TestBrowser(platform).get(
                request.authorizeURL(changing: ["code_challenge": nil, "code_challenge_method": nil]))
            #expect(page.status == 302)
        }
    }

    @Test(
        "redirect URIs have the rules of an application, without those for development",
        arguments: [
            "http://app.test/cb", "https://app.test/cb#x", "https://user@app.test/cb", "javascript:alert(1)", "data:text/html,x",
            "myapp:/cb",
            "https://*.preview.test/cb", "/cb", "", "https://app.test/\u{301}", "https:\u{200D}//app.test", "https\u{600}://app.test/cb",
            "http\u{600}://127.0.0.1/cb", "https://app.test/cb\u{2044}", "\u{212A}om.example.app:/cb", "http://127.0.0.1.app.test/cb",
        ])
    func redirectURIs(uri: String) async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            for more in [[:], ["token_endpoint_auth_method": "none", "application_type": "native"]] as [[String: any Sendable]] {
                let answer = try await registrant.register(["redirect_uris": [uri]].merging(more) { $1 })
                #expect(answer.refuses("invalid_redirect_uri", naming: "redirect_uris"), "\(answer.body)")
            }
            let logout = try await registrant.register(
                Registrant.web.merging(["post_logout_redirect_uris": [uri]]) { $1 })
            #expect(logout.refuses("invalid_client_metadata", naming: "post_logout_redirect_uris"), "\(logout.body)")
            #expect(try await platform.count("application") == platform.seeded.tenants.flatMap(\.applications).count)
            #expect(try await platform.count("initial_access_token", where: "registrations > 0") == 0)
        }
    }

    @Test("metadata that Espalier cannot honor is refused, and the description names the member")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let cases: [(String, any Sendable)] = [
                ("token_endpoint_auth_method", "client_secret_jwt"), ("token_endpoint_auth_method", "tls_client_auth"),
                ("token_endpoint_auth_method", 1), ("grant_types", ["implicit"]), ("grant_types", ["password", "refresh_token"]),
                ("grant_types", ["authorization_code", "client_credentials"]), ("grant_types", "authorization_code"),
                ("response_types", ["token"]), ("response_types", ["id_token", "code token"]), ("application_type", "console"),
                ("subject_type", "pairwise"), ("id_token_signed_response_alg", "none"), ("id_token_signed_response_alg", "HS256"),
                ("id_token_encrypted_response_alg", "RSA-OAEP"), ("userinfo_signed_response_alg", "RS256"),
                ("userinfo_encrypted_response_alg", "RSA-OAEP"), ("default_max_age", 60), ("require_signed_request_object", true),
                ("tls_client_certificate_bound_access_tokens", true), ("authorization_signed_response_alg", "RS256"),
                ("client_uri", "javascript:alert(1)"), ("logo_uri", "http://app.test/logo.png"), ("tos_uri", "com.example.app:/tos"),
                ("policy_uri", "https://app.test/\u{301}"), ("jwks_uri", "http://127.0.0.1/jwks"), ("jwks", ["keys": [String]()]),
                ("jwks", ["keys": [["kty": "oct", "k": "c2VjcmV0"] as [String: any Sendable]]] as [String: any Sendable]),
                ("backchannel_logout_uri", "https://127.0.0.1/out"), ("initiate_login_uri", "http://app.test/login"),
                ("initiate_login_uri", "com.example.app:/login"), ("frontchannel_logout_uri", "https://other.test/out"),
                ("contacts", [1]), ("contacts", [String(repeating: "x", count: 501)]), ("client_name", String(repeating: "x", count: 201)),
                ("client_name", "a\u{0}b"), ("scope", 1),
            ]
            for (member, value) in cases {
                let answer = try await registrant.register(Registrant.web.merging([member: value]) { $1 })
                #expect(answer.refuses("invalid_client_metadata", naming: member), "\(member): \(answer.body)")
            }
            let noKeys = try await registrant.register(Registrant.web.merging(["token_endpoint_auth_method": "private_key_jwt"]) { $1 })
            #expect(noKeys.refuses("invalid_client_metadata", naming: "jwks"), "\(noKeys.body)")
            let scheme = try await registrant.register([
                "redirect_uris": ["com.example.app:/cb"], "token_endpoint_auth_method": "client_secret_basic",
            ])
            #expect(scheme.refuses("invalid_redirect_uri", naming: "redirect_uris"), "\(scheme.body)")
            let none = try await registrant.register(["client_name": "Shop"])
            #expect(none.refuses("invalid_redirect_uri", naming: "redirect_uris"), "\(none.body)")
            let statement = try await registrant.register(Registrant.web.merging(["software_statement": "a.b.c"]) { $1 })
            #expect(statement.refuses("unapproved_software_statement", naming: "software_statement"), "\(statement.body)")
            // An error repeats no text of the caller that a header or a log could misread.
            let quoted = try await registrant.register(
                Registrant.web.merging([
                    "jwks": ["keys": [["kty": "EC", "a\"\\\u{301}b": 1] as [String: any Sendable]]] as [String: any Sendable]
                ]) { $1 })
            #expect(quoted.string("error_description")?.allSatisfy { $0.isASCII && $0 != "\"" && $0 != "\\" } == true, "\(quoted.body)")
        }
    }

    @Test("a body that is not a JSON object of up to 64 KiB is refused")
    func bodies() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let bearer = ("Authorization", "Bearer \(registrant.token)")
            for (type, body) in [
                ("application/json", "{"), ("application/json", "[]"), ("application/json", ""), ("application/json", #"{"a":1,"a":2}"#),
                ("application/x-www-form-urlencoded", "client_name=x"),
            ] {
                let answer = try await registrant.browser.send(
                    "POST", registrant.endpoint, headers: [bearer, ("Content-Type", type)], body: body)
                #expect(answer.isOAuthError(400, "invalid_client_metadata"), "\(answer.status) \(answer.body)")
            }
            let large = try await registrant.register(["client_name": String(repeating: "x", count: 70_000)])
            #expect(large.status == 413)
        }
    }

    @Test("it needs a usable initial access token of this tenant, and nothing else works as one")
    func tokens() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            let others = try await Registrant.make(platform, platform.globex)
            let client = try await registrant.client()
            let none = try await registrant.send("POST", registrant.endpoint, token: nil, Registrant.web)
            #expect(none.status == 401 && none.header("WWW-Authenticate") == "Bearer realm=\"espalier\"")
            let flipped = String(registrant.token.dropLast()) + (registrant.token.hasSuffix("a") ? "b" : "a")
            for token in [
                others.token, client.token, client.secret ?? "", platform.operatorKey, platform.acme.api_keys[0].secret, flipped, "x",
                registrant.token + "a", "eit_" + String(repeating: "é", count: 21) + "x",
            ] {
                let answer = try await registrant.register(token: token)
                #expect(answer.isOAuthError(401, "invalid_token"), "\(answer.body)")
                #expect(answer.header("WWW-Authenticate")?.hasPrefix("Bearer realm=\"espalier\", error=\"invalid_token\"") == true)
            }
            // It is not an API key either.
            #expect(try await platform.call("GET", "/tenants/acme", key: registrant.token).status == 401)
            #expect(try await registrant.send("GET", client.uri, token: registrant.token).status == 401)
            let expired = try await Registrant.make(platform)
            _ = try await platform.ownerPool.run(
                "UPDATE initial_access_token SET expires_at = now() - interval '1 second' WHERE last_four = \(String(expired.token.suffix(4)))"
            )
            #expect(try await expired.register().isOAuthError(401, "invalid_token"))
            #expect(
                try await registrant.send("POST", "\(TestPlatform.publicURL)/t/nobody/oauth2/register", token: registrant.token).status
                    == 404)
            // A row that was moved to another tenant authenticates nobody there.
            _ = try await platform.ownerPool.run(
                """
                UPDATE initial_access_token SET tenant_id = (SELECT id FROM tenant WHERE slug = 'globex'), registrations = 0
                WHERE last_four = \(String(expired.token.suffix(4)))
                """,
                "UPDATE initial_access_token SET expires_at = now() + interval '1 hour'")
            let moved = try await registrant.send("POST", others.endpoint, token: expired.token, Registrant.web)
            #expect(moved.isOAuthError(401, "invalid_token"), "\(moved.body)")
            try await platform.suspend(platform.acme)
            platform.installation.directory.forgetAll(isFresh: true)
            #expect(try await registrant.register().status == 404)
        }
    }

    @Test("of several registrations at the same time, only the permitted number succeeds")
    func lastUse() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform, nil, ["max_registrations": 2])
            // The first signing key takes longer than a registration.
            _ = try await Registrant.make(platform).client()
            let before = try await platform.count("application")
            let answers = try await withThrowingTaskGroup(of: TestBrowser.Answer.self) { group in
                for _ in 0..<8 { group.addTask { try await registrant.register() } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status).sorted() == [201, 201] + Array(repeating: 401, count: 6), "\(answers.map(\.body))")
            #expect(try await platform.count("application") == before + 2)
            let shown = try await platform.call("GET", "/tenants/acme/initial-access-tokens/\(registrant.id)")
            #expect(shown.json["registrations"] as? Int == 2)
        }
    }

    @Test("a tenant with 500 applications registers no other one, and the token keeps its registration")
    func full() async throws {
        try await TestPlatform.run { platform in
            let registrant = try await Registrant.make(platform)
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO application (tenant_id, id, kind, name, redirect_uris, created_at, updated_at)
                SELECT tenant_id, gen_random_uuid(), kind, name, redirect_uris, created_at, updated_at
                FROM (SELECT * FROM application WHERE id = \(ID<Application>(platform.acme.applications[0].client_id))) AS one,
                    generate_series(1, 497)
                """)
            let answer = try await registrant.register()
            #expect(answer.isOAuthError(400, "invalid_request") && answer.body.contains("500"), "\(answer.body)")
            #expect(try await platform.count("initial_access_token", where: "registrations > 0") == 0)
        }
    }

    @Test("failed requests of an address are limited, and the next failures are not looked up")
    func limited() async throws {
        try await TestPlatform.run({ $0.apiRequestsPerMinute = 30 }) { platform in
            let registrant = try await Registrant.make(platform)
            var statuses: [Int] = []
            for _ in 0..<6 { statuses.append(try await registrant.register(token: "eit_" + TestBrowser.randomText()).status) }
            #expect(statuses.contains(401) && statuses.last == 429, "\(statuses)")
        }
    }
}
