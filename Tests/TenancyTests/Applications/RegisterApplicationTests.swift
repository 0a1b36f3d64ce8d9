import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Register application")
struct RegisterApplicationTests {
    private static let members: Set = [
        "id", "object", "name", "kind", "redirect_uris", "logout_uris", "frontchannel_logout_session_required", "bundle_ids",
        "requires_pkce", "requires_offline_access",
        "allows_development_uris", "returns_tokens_in_url", "requires_pushed_requests", "requires_dpop", "allows_device_grant",
        "is_third_party", "requires_name",
        "token_endpoint_auth_method", "access_token_seconds", "session_seconds", "idle_seconds", "signing_algorithm",
        "created_at",
        "updated_at",
    ]

    @Test("absent members get their defaults, and only a kind that can protect a secret gets one")
    func defaults() async throws {
        try await TestPlatform.run { platform in
            for kind in ["web", "spa", "native", "machine"] {
                let made = try await platform.registered(kind)
                #expect(Set(made.keys) == Self.members.union(["web", "machine"].contains(kind) ? ["client_secret"] : []))
                #expect(made["object"] as? String == "application")
                #expect(made["kind"] as? String == kind)
                #expect(made["redirect_uris"] as? [String] == (kind == "machine" ? [] : ["https://shop.example/callback"]))
                #expect(made["logout_uris"] as? [String] == [])
                #expect(made["bundle_ids"] as? [String] == [])
                #expect(made["requires_pkce"] as? Bool == true)
                #expect(made["requires_offline_access"] as? Bool == false)
                #expect(made["allows_development_uris"] as? Bool == false)
                #expect(made["returns_tokens_in_url"] as? Bool == false)
                #expect(made["requires_pushed_requests"] as? Bool == false)
                #expect(made["requires_dpop"] as? Bool == false)
                #expect(made["allows_device_grant"] as? Bool == false)
                #expect(made["is_third_party"] as? Bool == false)
                #expect(made["requires_name"] as? Bool == false)
                let method = ["web", "machine"].contains(kind) ? "client_secret_basic" : "none"
                #expect(made["token_endpoint_auth_method"] as? String == method)
                #expect(made["access_token_seconds"] as? Int == 3600)
                #expect(made["session_seconds"] as? Int == 90 * 86400)
                #expect(made["idle_seconds"] as? Int == 30 * 86400)
                #expect(made["signing_algorithm"] as? String == "ES256")
            }
        }
    }

    @Test("all members are saved, the response has location and version, and null means absent")
    func everything() async throws {
        try await TestPlatform.run { platform in
            let body: [String: any Sendable] = [
                "name": "Phone é", "kind": "native", "redirect_uris": ["com.acme.app:/callback", "http://127.0.0.1/callback"],
                "logout_uris": ["com.acme.app:/bye"], "bundle_ids": ["com.acme.app", "com.acme.app.beta"], "requires_pkce": NSNull(),
                "requires_offline_access": true, "returns_tokens_in_url": true,
                "requires_pushed_requests": true, "requires_dpop": true, "allows_device_grant": true, "is_third_party": true,
                "sign_in_page": "on_request", "requires_name": true,
                "backchannel_logout_uri": "https://acme.example/gone?from=espalier",
                "login_url": "https://acme.example/login?from=espalier",
                "access_token_seconds": 60, "session_seconds": 31_536_000, "idle_seconds": 300, "signing_algorithm": "RS256",
            ]
            let key = platform.acme.api_keys[0]
            let answer = try await platform.call("POST", "/tenants/\(platform.acme.id)/applications", key: key.secret, body)
            #expect(answer.status == 201)
            let id = try #require(answer.json["id"] as? String)
            #expect(answer.location == "/v1/tenants/acme/applications/\(id)")
            for name in [
                "name", "kind", "redirect_uris", "logout_uris", "backchannel_logout_uri", "login_url", "bundle_ids",
                "sign_in_page", "signing_algorithm",
                "access_token_seconds",
            ] {
                #expect("\(answer.json[name]!)" == "\(body[name]!)", "\(name)")
            }
            #expect(answer.json["requires_offline_access"] as? Bool == true)
            #expect(answer.json["returns_tokens_in_url"] as? Bool == true)
            #expect(answer.json["requires_pushed_requests"] as? Bool == true)
            #expect(answer.json["requires_dpop"] as? Bool == true)
            #expect(answer.json["allows_device_grant"] as? Bool == true)
            #expect(answer.json["is_third_party"] as? Bool == true)
            #expect(answer.json["requires_name"] as? Bool == true)
            #expect(answer.json["session_seconds"] as? Int == 31_536_000)
            #expect(answer.json["idle_seconds"] as? Int == 300)
            #expect(answer.json["client_secret"] == nil)

            let found = try await platform.call("GET", "/tenants/acme/applications/\(id)")
            #expect(found.json as NSDictionary == answer.json as NSDictionary)
            #expect(found.header("ETag") == answer.header("ETag"))
            // The key exists before the first login, so no login waits for it.
            #expect(try await platform.count("signing_key", where: "algorithm = 'RS256' AND state = 'current'") == 1)

            let trail = try await platform.applicationTrail(id)
            #expect(trail.map(\.action) == ["registerApplication"])
            #expect(trail[0].actor == key.id)
            #expect(trail[0].before == nil)
            #expect(trail[0].after?["name"] as? String == "Phone é")
        }
    }

    @Test("the secret is shown once and stored nowhere")
    func secret() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let secret = try #require(made["client_secret"] as? String)
            #expect(secret.wholeMatch(of: /eas_[0-9A-Za-z]{43}/) != nil)
            let shown = try await platform.call("GET", "/tenants/acme/applications/\(made["id"] as! String)")
            #expect(Set(shown.json.keys) == Self.members)
            for table in ["application", "application_secret", "audit_event"] {
                let dump = try await platform.ownerPool.run(SQL(unsafe: "SELECT string_agg(t::text, ' ') AS dump FROM \(table) t"))
                #expect(try !dump[0].get("dump", as: String.self).contains(secret), "\(table)")
            }
            #expect(try await platform.applicationTrail(made["id"])[0].after?["client_secret"] == nil)
        }
    }

    @Test("a session shorter than 30 days has an idle time of at most its lifetime, unless the request sets it")
    func shortSession() async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.registered("web", ["session_seconds": 3600])["idle_seconds"] as? Int == 3600)
            #expect(try await platform.registered("web", ["session_seconds": 3600, "idle_seconds": 600])["idle_seconds"] as? Int == 600)
            let answer = try await platform.call(
                "POST", "/tenants/acme/applications",
                ["name": "A", "kind": "web", "redirect_uris": ["https://a.example/"], "session_seconds": 3600, "idle_seconds": 3601])
            #expect(answer.status == 409)
            #expect(answer.code == "conflict")
            #expect(answer.refusedFields == ["idle_seconds"])
        }
    }

    @Test("an application for development registers such URIs, and the audit trail shows the setting")
    func developmentURIs() async throws {
        try await TestPlatform.run { platform in
            for (kind, uris) in [
                ("web", ["https://*.preview.example/callback"]), ("spa", ["https://*.preview.example:8443", "http://localhost/"]),
                ("native", ["myapp:/callback", "https://*.preview.example/"]),
            ] {
                let answer = try await platform.call(
                    "POST", "/tenants/acme/applications",
                    ["name": "A", "kind": kind, "redirect_uris": uris, "logout_uris": uris, "allows_development_uris": true])
                #expect(answer.status == 201, "\(answer.body)")
                #expect(answer.json["redirect_uris"] as? [String] == uris)
                #expect(answer.json["allows_development_uris"] as? Bool == true)
                let trail = try await platform.applicationTrail(answer.json["id"])
                #expect(trail.map { $0.after?["allows_development_uris"] as? Bool } == [true])
            }
        }
    }

    /// A body with one mistake, and the field that the refusal names.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let field: String
        let body: [String: any Sendable]
        var testDescription: String { "\(field): \(body["kind"] ?? "no kind") \(body[String(field.prefix { $0 != "[" })] ?? "nothing")" }

        init(_ field: String, _ changes: [String: (any Sendable)?], kind: String = "web") {
            self.field = field
            var body: [String: any Sendable] = ["name": "A", "kind": kind, "redirect_uris": ["https://a.example/"]]
            for (name, value) in changes { body[name] = value }
            self.body = body
        }
    }

    static let mistakes: [Mistake] = [
        .init("name", ["name": nil]), .init("name", ["name": ""]), .init("name", ["name": String(repeating: "a", count: 201)]),
        .init("name", ["name": "a\nb"]), .init("name", ["name": 1]),
        .init("kind", ["kind": nil]), .init("kind", ["kind": "public"]),
        .init("redirect_uris", ["redirect_uris": nil]), .init("redirect_uris", ["redirect_uris": [] as [String]]),
        .init("redirect_uris", ["redirect_uris": "https://a.example/"]),
        .init("redirect_uris", ["redirect_uris": (0...100).map { "https://a.example/\($0)" }]),
        .init("redirect_uris[1]", ["redirect_uris": ["https://a.example/", "https://a.example/"]]),
        .init("redirect_uris[0]", ["redirect_uris": ["http://a.example/"]]), .init("redirect_uris[0]", ["redirect_uris": ["/callback"]]),
        .init("redirect_uris[0]", ["redirect_uris": ["com.example.app:/callback"]]),
        .init("redirect_uris[0]", ["redirect_uris": ["com.example.app:/callback"]], kind: "spa"),
        .init("redirect_uris[0]", ["redirect_uris": ["app:/callback"]], kind: "native"),
        .init("redirect_uris", [:], kind: "machine"),
        .init("logout_uris", ["redirect_uris": nil, "logout_uris": ["https://a.example/"]], kind: "machine"),
        .init("logout_uris[0]", ["logout_uris": ["https://a.example/#x"]]), .init("logout_uris[0]", ["logout_uris": ["com.example:/"]]),
        .init("backchannel_logout_uri", ["backchannel_logout_uri": "http://a.example/gone"]),
        .init("backchannel_logout_uri", ["backchannel_logout_uri": "https://127.0.0.1/gone"]),
        .init("backchannel_logout_uri", ["backchannel_logout_uri": "https://a.example/#gone"]),
        .init("backchannel_logout_uri", ["backchannel_logout_uri": "https://a@a.example/"]),
        .init("backchannel_logout_uri", ["backchannel_logout_uri": "com.example.app:/gone"], kind: "native"),
        .init("backchannel_logout_uri", ["backchannel_logout_uri": ["https://a.example/"]]),
        .init("backchannel_logout_uri", ["backchannel_logout_uri": ""]),
        .init("backchannel_logout_uri", ["redirect_uris": nil, "backchannel_logout_uri": "https://a.example/"], kind: "machine"),
        .init("frontchannel_logout_uri", ["frontchannel_logout_uri": "https://b.example/out"]),
        .init("frontchannel_logout_uri", ["frontchannel_logout_uri": "https://a.example:444/out"]),
        .init("frontchannel_logout_uri", ["frontchannel_logout_uri": "http://localhost/out"]),
        .init("frontchannel_logout_uri", ["frontchannel_logout_uri": "https://a.example/#out"]),
        .init("frontchannel_logout_uri", ["frontchannel_logout_uri": "https://a@a.example/"]),
        .init(
            "frontchannel_logout_uri", ["redirect_uris": ["http://[::1]/a"], "frontchannel_logout_uri": "http://[::1]/out"], kind: "native"
        ),
        .init(
            "frontchannel_logout_uri", ["redirect_uris": ["com.example.app:/a"], "frontchannel_logout_uri": "com.example.app:/out"],
            kind: "native"),
        .init(
            "frontchannel_logout_uri",
            [
                "redirect_uris": ["https://*.b.example.com/"], "frontchannel_logout_uri": "https://x.b.example.com/",
                "allows_development_uris": true,
            ]),
        .init("frontchannel_logout_uri", ["redirect_uris": nil, "frontchannel_logout_uri": "https://a.example/"], kind: "machine"),
        .init("frontchannel_logout_session_required", ["frontchannel_logout_session_required": "yes"]),
        .init("login_url", ["login_url": "http://a.example/login"]), .init("login_url", ["login_url": "https://a.example/#/login"]),
        .init("login_url", ["login_url": "https://a@a.example/"]), .init("login_url", ["login_url": "javascript:alert(1)"]),
        .init("login_url", ["login_url": "com.example.app:/login"], kind: "native"),
        .init("login_url", ["login_url": "https://*.a.example/", "allows_development_uris": true]),
        .init("login_url", ["login_url": "myapp:/login", "allows_development_uris": true], kind: "native"),
        .init("login_url", ["login_url": ""]), .init("login_url", ["login_url": ["https://a.example/"]]),
        .init("login_url", ["login_url": "https://a.example/" + String(repeating: "a", count: 1983)]),
        .init("login_url", ["redirect_uris": nil, "login_url": "https://a.example/"], kind: "machine"),
        .init("bundle_ids", ["bundle_ids": ["com.example.app"]]), .init("bundle_ids", ["bundle_ids": ["com.example.app"]], kind: "spa"),
        .init("bundle_ids[0]", ["bundle_ids": ["app"]], kind: "native"),
        .init("bundle_ids", ["bundle_ids": (0...20).map { "com.example.app\($0)" }], kind: "native"),
        .init("requires_pkce", ["requires_pkce": false], kind: "spa"), .init("requires_pkce", ["requires_pkce": false], kind: "native"),
        .init("requires_pkce", ["redirect_uris": nil, "requires_pkce": false], kind: "machine"),
        .init("requires_pkce", ["requires_pkce": "no"]),
        .init("requires_offline_access", ["redirect_uris": nil, "requires_offline_access": true], kind: "machine"),
        .init("requires_offline_access", ["requires_offline_access": 1]),
        .init("redirect_uris[0]", ["redirect_uris": ["https://*.preview.example/"]]),
        .init("redirect_uris[0]", ["redirect_uris": ["https://*.preview.example/"], "allows_development_uris": false], kind: "spa"),
        .init("redirect_uris[0]", ["redirect_uris": ["https://*.com/"], "allows_development_uris": true]),
        .init("redirect_uris[0]", ["redirect_uris": ["app:/callback"], "allows_development_uris": true]),
        .init("redirect_uris[0]", ["redirect_uris": ["javascript:alert(1)"], "allows_development_uris": true], kind: "native"),
        .init("allows_development_uris", ["redirect_uris": nil, "allows_development_uris": true], kind: "machine"),
        .init("allows_development_uris", ["allows_development_uris": "yes"]),
        .init("returns_tokens_in_url", ["returns_tokens_in_url": true], kind: "web"),
        .init("returns_tokens_in_url", ["redirect_uris": nil, "returns_tokens_in_url": true], kind: "machine"),
        .init("returns_tokens_in_url", ["returns_tokens_in_url": "yes"], kind: "native"),
        .init("requires_pushed_requests", ["redirect_uris": nil, "requires_pushed_requests": true], kind: "machine"),
        .init("requires_pushed_requests", ["requires_pushed_requests": "yes"]),
        .init("requires_dpop", ["requires_dpop": 1]),
        .init("allows_device_grant", ["allows_device_grant": true], kind: "spa"),
        .init("allows_device_grant", ["redirect_uris": nil, "allows_device_grant": true], kind: "machine"),
        .init("allows_device_grant", ["allows_device_grant": "yes"]),
        .init("is_third_party", ["is_third_party": "yes"]),
        .init("sign_in_page", ["sign_in_page": "on-request"]),
        .init("requires_name", ["requires_name": "yes"]),
        .init("requires_name", ["redirect_uris": nil, "requires_name": true], kind: "machine"),
        .init("token_endpoint_auth_method", ["token_endpoint_auth_method": "client_secret_jwt"]),
        .init("token_endpoint_auth_method", ["token_endpoint_auth_method": "none"]),
        .init("token_endpoint_auth_method", ["token_endpoint_auth_method": "client_secret_basic"], kind: "spa"),
        .init("jwks", ["token_endpoint_auth_method": "private_key_jwt"]), .init("jwks", ["jwks": "x"]), .init("jwks", ["jwks": ["x": 1]]),
        .init("jwks.keys", ["jwks": ["keys": [String]()]]), .init("jwks.keys[0].kty", ["jwks": ["keys": [["kty": "OKP"]]]]),
        .init("jwks.keys[0].d", ["jwks": ["keys": [["kty": "EC", "d": "x"]]]]),
        .init("jwks_uri", ["jwks_uri": "http://a.example/jwks"]), .init("jwks_uri", ["jwks_uri": "https://127.0.0.1/jwks"]),
        .init("jwks_uri", ["jwks_uri": "https://a.example/jwks"], kind: "native"),
        .init("access_token_seconds", ["access_token_seconds": 59]), .init("access_token_seconds", ["access_token_seconds": 86401]),
        .init("session_seconds", ["session_seconds": 299]), .init("session_seconds", ["session_seconds": 31_536_001]),
        .init("idle_seconds", ["idle_seconds": 299]), .init("idle_seconds", ["idle_seconds": 1.5]),
        .init("signing_algorithm", ["signing_algorithm": "HS256"]), .init("signing_algorithm", ["signing_algorithm": "none"]),
        .init("client_secret", ["client_secret": "eas_x"]), .init("id", ["id": "app_x"]),
    ]

    @Test("invalid members are refused with the name of the field, and nothing is written")
    func mistakes() async throws {
        try await TestPlatform.run { platform in
            let before = try await platform.count("application")
            for mistake in Self.mistakes {
                let answer = try await platform.call("POST", "/tenants/acme/applications", mistake.body)
                #expect(answer.status == 400, "\(mistake.testDescription): \(answer.body)")
                #expect(answer.code == "invalid")
                #expect(answer.refusedFields == [mistake.field], "\(mistake.testDescription): \(answer.body)")
                if mistake.field == "signing_algorithm" {
                    // The refusal contains the allowed values and the command that sets one.
                    #expect(answer.body.contains("`ES256`, `RS256`") && answer.body.contains("--signing-algorithm RS256"))
                }
            }
            #expect(try await platform.count("application") == before)
            #expect(try await platform.count("audit_event") == 0)
        }
    }

    @Test("registration requires the scope applications:write, and the tenant's own key or an operator's")
    func permission() async throws {
        try await TestPlatform.run { platform in
            let body: [String: any Sendable] = ["name": "A", "kind": "machine"]
            let scopeless = try await platform.call("POST", "/tenants/acme/applications", key: platform.acme.api_keys[1].secret, body)
            #expect(scopeless.status == 403)
            #expect(scopeless.code == "insufficient_scope")
            let stranger = try await platform.call("POST", "/tenants/acme/applications", key: platform.globex.api_keys[0].secret, body)
            #expect(stranger.status == 404)
            #expect(try await platform.call("POST", "/tenants/acme/applications", body).status == 201)
        }
    }

    @Test("a tenant can have at most 500 applications")
    func most() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO application (tenant_id, id, name, kind, redirect_uris, created_at, updated_at)
                SELECT tenant_id, gen_random_uuid(), name, kind, redirect_uris, created_at, updated_at
                FROM (SELECT * FROM application WHERE tenant_id = (SELECT id FROM tenant WHERE slug = 'acme') LIMIT 1) AS one,
                    generate_series(1, 500)
                """)
            let answer = try await platform.call(
                "POST", "/tenants/acme/applications",
                ["name": "One more", "kind": "web", "redirect_uris": ["https://shop.example/callback"]])
            #expect(answer.status == 409)
            #expect(answer.code == "conflict")
        }
    }

    @Test("of several registrations at the same time, only the last one of the tenant succeeds")
    func lastApplication() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO application (tenant_id, id, kind, name, redirect_uris, created_at, updated_at)
                SELECT tenant_id, gen_random_uuid(), kind, name, redirect_uris, created_at, updated_at
                FROM (SELECT * FROM application WHERE id = \(ID<Application>(platform.acme.applications[0].client_id))) AS one,
                    generate_series(1, 496)
                """)
            let machine: [String: any Sendable] = ["kind": "machine", "name": "Import"]
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await platform.call("POST", "/tenants/acme/applications", machine).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.sorted() == [201] + Array(repeating: 409, count: 7))
        }
    }
}
