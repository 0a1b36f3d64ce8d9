import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Update member")
struct UpdateMemberTests {
    private static func path(_ id: ID<Membership>) -> String { "/tenants/acme/members/\(id)" }

    @Test("a member gets another role, built-in or custom, and the audit trail has both")
    func updates() async throws {
        try await TestPlatform.run { platform in
            let member = try await platform.addMember("Ada")
            let admin = try await platform.call("PATCH", Self.path(member.id), key: platform.acmeKey, ["role": "admin"])
            #expect(admin.status == 200 && admin.string("role") == "admin", "\(admin.body)")
            let role = try await platform.call("POST", "/tenants/acme/roles", ["name": "Desk", "scopes": ["users:read"]]).resourceID
            #expect(try await platform.call("PATCH", Self.path(member.id), ["role": role]).string("role") == role)
            // The same role again changes nothing.
            #expect(try await platform.call("PATCH", Self.path(member.id), ["role": role]).status == 200)
            let trail = try await platform.audit(member.id.description)
            #expect(trail.map(\.action) == ["updateMember", "updateMember"])
            #expect(trail[0].before?.contains("developer") == true && trail[0].after?.contains("admin") == true)
        }
    }

    @Test("an admin neither makes an owner nor demotes one, and nobody gives scopes away that it does not have")
    func escalation() async throws {
        try await TestPlatform.run { platform in
            let admin = try await platform.acmeKey(.admin)
            let owner = try await platform.addMember("Ada", as: .builtIn(.owner))
            let member = try await platform.addMember("Grace")
            for (id, role) in [(member.id, "owner"), (owner.id, "viewer"), (member.id, "billing")] {
                let refused = try await platform.call("PATCH", Self.path(id), key: admin, ["role": role])
                #expect(refused.isProblem(403, "insufficient_scope"), "\(role): \(refused.body)")
            }
            #expect(try await platform.call("PATCH", Self.path(member.id), key: admin, ["role": "admin"]).status == 200)
            let wide = try await platform.call("POST", "/tenants/acme/roles", ["name": "Money", "scopes": ["usage:write"]]).resourceID
            #expect(
                try await platform.call("PATCH", Self.path(member.id), key: admin, ["role": wide]).isProblem(403, "insufficient_scope"))
            // `members:write` alone allows nothing.
            let bare = try await platform.acmeKey(["members:write"])
            #expect(
                try await platform.call("PATCH", Self.path(member.id), key: bare, ["role": "viewer"]).isProblem(403, "insufficient_scope"))
        }
    }

    @Test("the last owner stays, even if two requests demote two owners at once, and an operator decides otherwise")
    func lastOwner() async throws {
        try await TestPlatform.run { platform in
            let owners = [
                try await platform.addMember("Ada", as: .builtIn(.owner)), try await platform.addMember("Grace", as: .builtIn(.owner)),
            ]
            let answers = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for owner in owners {
                    tasks.addTask {
                        try await platform.call("PATCH", Self.path(owner.id), key: platform.acmeKey, ["role": "admin"]).status
                    }
                }
                return try await tasks.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(answers.sorted() == [200, 409])
            #expect(try await platform.count("membership", where: "role = 'owner'") == 1)
            for owner in owners { #expect(try await platform.call("PATCH", Self.path(owner.id), ["role": "admin"]).status == 200) }
            #expect(try await platform.count("membership", where: "role = 'owner'") == 0)
        }
    }

    @Test("a role of another tenant, an operator's role, null and an old version are refused")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let member = try await platform.addMember("Ada")
            let foreign = try await platform.call("POST", "/tenants/globex/roles", ["name": "Desk", "scopes": ["users:read"]]).resourceID
            for role: any Sendable in [foreign, "operator", "custom", "", NSNull(), 1] as [any Sendable] {
                let refused = try await platform.call("PATCH", Self.path(member.id), ["role": role])
                #expect(refused.status == 400 && refused.body.contains("role"), "\(role): \(refused.body)")
            }
            let stale = try await platform.call("PATCH", Self.path(member.id), ["role": "admin"], headers: [("If-Match", "\"old\"")])
            #expect(stale.isProblem(412, "precondition_failed"))
            #expect(
                try await platform.call("PATCH", "/tenants/globex/members/\(member.id)", ["role": "admin"]).isProblem(404, "not_found"))
            #expect(try await platform.count("membership", where: "role = 'developer'") == 1)
        }
    }
}
