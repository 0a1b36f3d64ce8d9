import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Issue API key")
struct IssueAPIKeyTests {
    @Test("a new key works at once with its scopes, is shown once, and is in the audit trail")
    func issued() async throws {
        try await TestPlatform.run { platform in
            let expiry = Date().addingTimeInterval(3600).formatted(.iso8601)
            let answer = try await platform.issue("Nightly é", scopes: ["tenants:read", "usage:read"], expiresAt: expiry)
            #expect(answer.status == 201)
            #expect(
                Set(answer.json.keys) == [
                    "id", "object", "name", "last_four", "scopes", "expires_at", "created_at", "updated_at", "secret",
                ])
            let (id, secret) = (try #require(answer.string("id")), try #require(answer.string("secret")))
            #expect(secret.hasPrefix("esk_live_"))
            #expect(answer.string("last_four") == String(secret.suffix(4)))
            #expect(answer.json["scopes"] as? [String] == ["tenants:read", "usage:read"])
            #expect(answer.string("expires_at") == expiry)
            #expect(answer.header("Location") == "/v1/tenants/acme/api-keys/\(id)")

            #expect(try await platform.letsIn(secret))
            #expect(try await platform.call("GET", "/tenants/acme/usage", key: secret).status == 200)
            #expect(try await platform.call("GET", "/tenants/acme/api-keys", key: secret).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("GET", "/tenants/globex", key: secret).status == 404)

            let shown = try await platform.call("GET", "/tenants/acme/api-keys/\(id)")
            #expect(shown.status == 200 && shown.json["secret"] == nil && !shown.body.contains(secret))
            #expect(shown.header("ETag") == answer.header("ETag"))
            let audit = try await platform.audit(id)
            #expect(audit.map(\.action) == ["issueAPIKey"])
            #expect(audit[0].actor == platform.acme.api_keys[0].id)
            #expect(audit[0].before == nil && audit[0].after?.contains("Nightly") == true)
            #expect(audit[0].after?.contains(secret) == false && audit[0].after?.contains("secret") == false)
            let stored = try await platform.ownerPool.run("SELECT row_to_json(k)::text AS row FROM api_key k").map {
                try $0.get("row", as: String.self)
            }
            #expect(!stored.joined().contains(secret))
        }
    }

    @Test("a caller cannot pass on a scope that it lacks, and the refusal names the scope")
    func scopes() async throws {
        try await TestPlatform.run { platform in
            let small = try await platform.issue(scopes: ["api_keys:write", "tenants:read"])
            let refused = try await platform.issue(scopes: ["tenants:read", "users:write", "audit:read"], key: small.string("secret"))
            #expect(refused.isProblem(403, "insufficient_scope"))
            #expect(refused.string("detail")?.contains("`audit:read`, `users:write`") == true)
            #expect(try await platform.issue(scopes: ["tenants:read"], key: small.string("secret")).status == 201)
            #expect(try await platform.issue(key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
        }
    }

    @Test("an operator issues keys for a tenant and for the platform, a tenant only for itself")
    func owners() async throws {
        try await TestPlatform.run { platform in
            let forAcme = try await platform.issue(key: platform.operatorKey)
            #expect(forAcme.status == 201)
            #expect(try await platform.audit(try #require(forAcme.string("id"))).map(\.actor) == [platform.seeded.api_keys[0].id])
            #expect(try await platform.call("GET", "/platform/api-keys", key: forAcme.string("secret")).isProblem(403, "operator_required"))
            #expect(try await platform.issue(key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))

            let body: [String: any Sendable] = ["name": "Second", "scopes": ["tenants:read", "api_keys:read"]]
            let issued = try await platform.call("POST", "/platform/api-keys", body)
            #expect(issued.status == 201)
            let id = try #require(issued.string("id"))
            #expect(issued.header("Location") == "/v1/platform/api-keys/\(id)")
            #expect(try await platform.call("GET", "/tenants/globex", key: issued.string("secret")).status == 200)
            #expect(try await platform.audit(id).map(\.action) == ["issuePlatformAPIKey"])
            #expect(
                try await platform.call("POST", "/platform/api-keys", key: platform.acme.api_keys[0].secret, body)
                    .isProblem(403, "operator_required"))
        }
    }

    @Test("invalid members are all refused in one response")
    func invalid() async throws {
        try await TestPlatform.run { platform in
            let nothing = try await platform.call("POST", "/tenants/acme/api-keys", [:])
            #expect(nothing.isProblem(400, "invalid"))
            #expect(nothing.refusedFields == ["name", "scopes"])
            let wrong = try await platform.call(
                "POST", "/tenants/acme/api-keys",
                ["name": "a\nb", "scopes": ["tenants:everything"], "expires_at": "2020-01-01T00:00:00Z", "secret": "x"])
            #expect(wrong.refusedFields == ["name", "scopes[0]", "expires_at", "secret"])
            for scopes: [String] in [[], ["tenants:read", "tenants:read"]] {
                #expect(try await platform.issue(scopes: scopes).isProblem(400, "invalid"))
            }
            #expect(try await platform.issue(String(repeating: "x", count: 201)).isProblem(400, "invalid"))
            #expect(try await platform.issue(String(repeating: "é", count: 200)).status == 201)
            let untyped = try await TestBrowser(platform).send(
                "POST", "\(TestPlatform.publicURL)/v1/tenants/acme/api-keys",
                headers: [("Authorization", "Bearer \(platform.operatorKey)")], body: "{}")
            #expect(untyped.isProblem(415, "unsupported_media_type"))
        }
    }

    @Test("an expired key is refused")
    func expired() async throws {
        try await TestPlatform.run { platform in
            let key = try await platform.issue(expiresAt: "2100-01-01T00:00:00Z")
            let secret = try #require(key.string("secret"))
            #expect(try await platform.letsIn(secret))
            _ = try await platform.ownerPool.run("UPDATE api_key SET expires_at = now() WHERE name = 'New'")
            try await eventually("the key is refused") { try await !platform.letsIn(secret) }
        }
    }
}
