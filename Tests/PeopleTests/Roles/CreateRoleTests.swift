import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Create role")
struct CreateRoleTests {
    private static let path = "/tenants/acme/roles"

    @Test("a role has a name and scopes, and the audit trail has it")
    func creates() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call(
                "POST", Self.path, key: platform.acmeKey, ["name": "Support desk", "scopes": ["users:read", "sessions:read"]])
            #expect(answer.status == 201, "\(answer.body)")
            #expect(answer.string("name") == "Support desk" && answer.json["scopes"] as? [String] == ["users:read", "sessions:read"])
            #expect(answer.header("ETag") != nil)
            #expect(try await platform.audit(answer.resourceID).map(\.action) == ["createRole"])
        }
    }

    @Test("a caller cannot define a role with more than its own scopes")
    func escalation() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.acmeKey(["members:write", "users:read"])
            let refused = try await platform.call(
                "POST", Self.path, key: narrow, ["name": "More", "scopes": ["users:read", "users:write"]])
            #expect(refused.isProblem(403, "insufficient_scope") && refused.body.contains("`users:write`"))
            #expect(try await platform.call("POST", Self.path, key: narrow, ["name": "Less", "scopes": ["users:read"]]).status == 201)
            #expect(try await platform.count("custom_role") == 1)
        }
    }

    @Test("an invalid name or scope is refused and named")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let cases: [(String, any Sendable)] = [
                ("name", ""), ("name", "Owner"), ("name", String(repeating: "x", count: 51)), ("name", "A\u{202E}B"),
                ("scopes", [String]()), ("scopes", ["users:read", "users:read"]), ("scopes", ["everything"]), ("role", "owner"),
            ]
            for (field, value) in cases {
                let body: [String: any Sendable] = ["name": "Desk", "scopes": ["users:read"]]
                let answer = try await platform.call("POST", Self.path, body.merging([field: value]) { $1 })
                #expect(answer.status == 400 && answer.body.contains(field), "\(field): \(answer.body)")
            }
            #expect(try await platform.count("custom_role") == 0)
        }
    }

    @Test("a name is used once, and a tenant has at most 50 roles")
    func limits() async throws {
        try await TestPlatform.run { platform in
            let body: [String: any Sendable] = ["name": "Desk", "scopes": ["users:read"]]
            #expect(try await platform.call("POST", Self.path, body).status == 201)
            #expect(try await platform.call("POST", Self.path, body).isProblem(409, "already_exists"))
            #expect(try await platform.call("POST", "/tenants/globex/roles", body).status == 201)
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO custom_role (tenant_id, id, name, scopes, created_at, updated_at)
                SELECT \(platform.acmeID), gen_random_uuid(), 'Role ' || n, '{users:read}', now(), now() FROM generate_series(1, 49) AS n
                """)
            #expect(
                try await platform.call("POST", Self.path, body.merging(["name": "Last"]) { $1 }).isProblem(409, "conflict"))
        }
    }
}
