import Access
import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Create API")
struct CreateAPITests {
    static let body: [String: any Sendable] = [
        "name": "Orders", "audience": "https://orders.test", "scopes": ["orders:read", "orders:write"],
    ]

    @Test("an API has an audience, scopes, a lifetime and the applications that may request tokens; the creation is audited")
    func creates() async throws {
        try await TestPlatform.run { platform in
            let application = platform.acme.applications[0].client_id
            let permission: [String: any Sendable] = ["id": application, "scopes": ["orders:read"]]
            let answer = try await platform.call(
                "POST", "/tenants/acme/apis", key: platform.acme.api_keys[0].secret,
                Self.body.merging(["applications": [permission], "access_token_seconds": 900]) { $1 })
            #expect(answer.status == 201, "\(answer.body)")
            #expect(
                Set(answer.json.keys) == [
                    "id", "object", "name", "audience", "scopes", "access_token_seconds", "applications", "created_at", "updated_at",
                ])
            #expect(answer.string("object") == "api" && answer.string("audience") == "https://orders.test")
            #expect(answer.json["scopes"] as? [String] == ["orders:read", "orders:write"])
            #expect(answer.json["access_token_seconds"] as? Int == 900)
            let listed = try #require((answer.json["applications"] as? [[String: Any]])?.first)
            #expect(listed["id"] as? String == application && listed["scopes"] as? [String] == ["orders:read"])
            #expect(answer.header("Location") == "/v1/tenants/acme/apis/\(answer.resourceID)")
            let trail = try await platform.auditTrail(of: "createAPI")
            #expect(trail.map(\.subject) == [answer.resourceID] && trail.first?.text.contains("https://orders.test") == true)
        }
    }

    @Test("an invalid audience, scope, lifetime or permission is refused and named")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let issuer = platform.acme.issuer
            let audiences = [
                "", "orders", "/orders", "https://orders.test#x", "https://orders.test/\u{301}", "https:\u{200D}//orders.test",
                "https\u{600}://orders.test", ":x", "1a:x", "a:", "https://orders.test/ x", issuer, "\(issuer)/x",
                "https://orders.test/\(String(repeating: "x", count: 500))",
            ]
            for audience in audiences {
                let answer = try await platform.call("POST", "/tenants/acme/apis", Self.body.merging(["audience": audience]) { $1 })
                #expect(answer.refuses("audience"), "\(audience): \(answer.body)")
            }
            for scopes in [["a b"], [""], ["a\""], ["a\\"], ["\u{301}a"], ["a", "a"], ["openid"], ["offline_access"]] {
                let answer = try await platform.call("POST", "/tenants/acme/apis", Self.body.merging(["scopes": scopes]) { $1 })
                #expect(answer.refuses("scopes"), "\(scopes): \(answer.body)")
            }
            for seconds in [59, 86401] {
                let answer = try await platform.call(
                    "POST", "/tenants/acme/apis", Self.body.merging(["access_token_seconds": seconds]) { $1 })
                #expect(answer.refuses("access_token_seconds"))
            }
            let application: [String: any Sendable] = ["id": platform.acme.applications[0].client_id]
            let unknownScope = application.merging(["scopes": ["orders:delete"]]) { $1 }
            for permissions in [[application, application], [unknownScope], [["id": "app_x"]], [["scopes": ["orders:read"]]]] {
                let answer = try await platform.call("POST", "/tenants/acme/apis", Self.body.merging(["applications": permissions]) { $1 })
                #expect(answer.status == 400, "\(permissions): \(answer.body)")
            }
            #expect(try await platform.auditTrail(of: "createAPI").isEmpty)
        }
    }

    @Test("an audience is unique in its tenant, and another tenant's application cannot be listed")
    func conflicts() async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.call("POST", "/tenants/acme/apis", Self.body).status == 201)
            let twice = try await platform.call("POST", "/tenants/acme/apis", Self.body)
            #expect(twice.status == 409 && twice.body.contains("audience"))
            #expect(try await platform.call("POST", "/tenants/globex/apis", Self.body).status == 201)

            let stranger: [String: any Sendable] = ["id": platform.globex.applications[0].client_id]
            let body = Self.body.merging(["audience": "https://other.test", "applications": [stranger]]) { $1 }
            let crossed = try await platform.call("POST", "/tenants/acme/apis", body)
            #expect(crossed.status == 409 && crossed.body.contains("applications"), "\(crossed.body)")
        }
    }

    @Test("a tenant has at most 100 APIs")
    func limit() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO api (tenant_id, id, name, audience, scopes, access_token_seconds, created_at, updated_at)
                SELECT t.id, gen_random_uuid(), 'x', 'urn:' || n, '{}', 60, now(), now() FROM tenant t, generate_series(1, 100) AS n
                WHERE t.slug = 'acme'
                """)
            #expect(try await platform.call("POST", "/tenants/acme/apis", Self.body).status == 409)
        }
    }
}

extension TestBrowser.Answer {
    /// Whether the response is a 400 that names this field, or an element of it.
    func refuses(_ field: String) -> Bool {
        let named = (json["errors"] as? [[String: Any]])?.compactMap { $0["field"] as? String } ?? []
        return status == 400 && named.contains { $0.hasPrefix(field) }
    }
}
