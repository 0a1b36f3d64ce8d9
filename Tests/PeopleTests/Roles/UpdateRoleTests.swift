import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Update role")
struct UpdateRoleTests {
    private static func make(_ platform: TestPlatform, _ scopes: [String] = ["users:read"]) async throws -> String {
        try await platform.call("POST", "/tenants/acme/roles", ["name": "Desk", "scopes": scopes]).resourceID
    }

    @Test("name and scopes change, and a request without a change leaves no audit event")
    func updates() async throws {
        try await TestPlatform.run { platform in
            let id = try await Self.make(platform)
            let path = "/tenants/acme/roles/\(id)"
            let changed = try await platform.call("PATCH", path, ["scopes": ["users:read", "audit:read"]])
            #expect(changed.status == 200 && changed.string("name") == "Desk")
            #expect(changed.json["scopes"] as? [String] == ["users:read", "audit:read"])
            #expect(try await platform.call("PATCH", path, ["scopes": ["audit:read", "users:read"]]).status == 200)
            #expect(try await platform.call("PATCH", path, ["name": "Help desk"]).string("name") == "Help desk")
            #expect(try await platform.audit(id).map(\.action) == ["createRole", "updateRole", "updateRole"])
        }
    }

    @Test("a member cannot widen the own role: the caller needs the scopes from before and the new ones")
    func escalation() async throws {
        try await TestPlatform.run { platform in
            let id = try await Self.make(platform, ["members:write", "users:read"])
            let own = try await platform.acmeKey(["members:write", "users:read"])
            let wider = try await platform.call(
                "PATCH", "/tenants/acme/roles/\(id)", key: own, ["scopes": ["members:write", "api_keys:write"]])
            #expect(wider.isProblem(403, "insufficient_scope"))
            // Nor can a caller take scopes away that it does not have.
            let other = try await platform.acmeKey(["members:write"])
            let less = try await platform.call("PATCH", "/tenants/acme/roles/\(id)", key: other, ["scopes": ["members:write"]])
            #expect(less.isProblem(403, "insufficient_scope"))
            #expect(try await platform.count("custom_role", where: "scopes = '{members:write,users:read}'") == 1)
        }
    }

    @Test("null, an old version and a name in use are refused")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let id = try await Self.make(platform)
            let path = "/tenants/acme/roles/\(id)"
            #expect(try await platform.call("PATCH", path, ["name": NSNull()]).status == 400)
            #expect(try await platform.call("PATCH", path, ["name": "Admin"]).status == 400)
            let stale = try await platform.call("PATCH", path, ["name": "New"], headers: [("If-Match", "\"old\"")])
            #expect(stale.isProblem(412, "precondition_failed"))
            #expect(try await platform.call("POST", "/tenants/acme/roles", ["name": "Taken", "scopes": ["users:read"]]).status == 201)
            #expect(try await platform.call("PATCH", path, ["name": "Taken"]).isProblem(409, "already_exists"))
            #expect(
                try await platform.call("PATCH", "/tenants/globex/roles/\(id)", ["name": "Mine"]).isProblem(404, "not_found"))
        }
    }
}
