import Foundation
import Postgres
import TestSupport
import Testing

/// A member gets, gives or keeps more permissions than its role has.
@Suite("Attack: more permissions than the role has")
struct RoleEscalationTests {
    /// A member of Acme, who acts in a terminal.
    private struct Member {
        let platform: TestPlatform
        let id, token: String

        /// - Parameter role: a built-in one, or the ID of one of Acme.
        init(_ name: String, as role: String, _ platform: TestPlatform) async throws {
            let (person, program) = (try await TerminalPerson(platform, name: name), TerminalPerson.Program())
            let token = try #require(try await person.redeem(try await person.code(program), program).string("access_token"))
            let members = try await platform.call("GET", "/tenants/acme/members").elements
            id = try #require(members.first { $0["name"] as? String == name }?["id"] as? String)
            (self.platform, self.token) = (platform, token)
            #expect(try await platform.call("PATCH", "/tenants/acme/members/\(id)", ["role": role]).status == 200)
            #expect(try await call("GET", "/caller").string("role") == role)
        }

        func call(_ method: String, _ path: String, _ body: [String: any Sendable]? = nil) async throws -> TestBrowser.Answer {
            try await platform.call(method, path, key: token, body)
        }

        /// Calls below Acme.
        func send(_ method: String, _ path: String, _ body: [String: any Sendable]? = nil) async throws -> TestBrowser.Answer {
            try await call(method, "/tenants/acme/\(path)", body)
        }

        /// Expects that the member lacks a permission for a call below Acme.
        func isRefused(_ method: String, _ path: String, _ body: [String: any Sendable]? = nil) async throws -> Bool {
            try await send(method, path, body).isProblem(403, "insufficient_scope")
        }
    }

    private static func role(
        _ name: String, _ scopes: [String], of tenant: String = "acme", _ platform: TestPlatform
    ) async throws -> String {
        try await platform.call("POST", "/tenants/\(tenant)/roles", ["name": name, "scopes": scopes]).resourceID
    }

    @Test("an admin makes nobody an owner: not itself, not a member, and not by an invitation")
    func adminMakesOwner() async throws {
        try await TestPlatform.run { platform in
            let (admin, other) = (try await Member("Ada", as: "admin", platform), try await Member("Grace", as: "developer", platform))
            for id in [admin.id, other.id] { #expect(try await admin.isRefused("PATCH", "members/\(id)", ["role": "owner"])) }
            let owner = ["email": "alias@example.com", "role": "owner"]
            #expect(try await admin.isRefused("POST", "invitations", owner))
            #expect(try await platform.count("membership", where: "role = 'owner'") == 0)
            #expect(try await platform.count("invitation") == 0)
            #expect(try await admin.send("PATCH", "members/\(other.id)", ["role": "admin"]).status == 200)
        }
    }

    @Test("an admin neither removes nor demotes an owner, even if there are two")
    func adminRemovesOwner() async throws {
        try await TestPlatform.run { platform in
            let admin = try await Member("Ada", as: "admin", platform)
            let (owner, other) = (try await Member("Grace", as: "owner", platform), try await Member("Mary", as: "owner", platform))
            #expect(try await admin.isRefused("DELETE", "members/\(owner.id)"))
            #expect(try await admin.isRefused("PATCH", "members/\(owner.id)", ["role": "admin"]))
            #expect(try await platform.count("membership", where: "role = 'owner'") == 2)
            // The same request of an owner.
            #expect(try await other.send("DELETE", "members/\(owner.id)").status == 204)
        }
    }

    @Test("no member gives itself another role, not even with the permission to change members")
    func memberRaisesItself() async throws {
        try await TestPlatform.run { platform in
            let deputy = try await Self.role("Deputy", ["members:read", "members:write", "users:read"], platform)
            for (name, role) in [("Ada", "developer"), ("Grace", "billing"), ("Mary", "viewer"), ("Linus", deputy)] {
                let member = try await Member(name, as: role, platform)
                for higher in ["admin", "owner"] {
                    #expect(try await member.isRefused("PATCH", "members/\(member.id)", ["role": higher]), "\(role)")
                    let alias = ["email": "alias@example.com", "role": higher]
                    #expect(try await member.isRefused("POST", "invitations", alias), "\(role)")
                }
                #expect(try await member.call("GET", "/caller").string("role") == role)
            }
            #expect(try await platform.count("membership", where: "role IN ('admin', 'owner')") == 0)
        }
    }

    @Test("nobody makes a role with more scopes than its own, and nobody adds such scopes to a role, such as its own")
    func customRoleWithMoreScopes() async throws {
        try await TestPlatform.run { platform in
            let scopes = ["members:read", "members:write", "users:read"]
            let own = try await Self.role("Deputy", scopes, platform)
            let deputy = try await Member("Ada", as: own, platform)
            let more: [String: any Sendable] = ["name": "Money", "scopes": ["users:read", "usage:write"]]
            #expect(try await deputy.isRefused("POST", "roles", more))
            let less: [String: any Sendable] = ["name": "Desk", "scopes": ["users:read"]]
            let desk = try await deputy.send("POST", "roles", less)
            #expect(desk.status == 201)
            for id in [desk.resourceID, own] {
                #expect(try await deputy.isRefused("PATCH", "roles/\(id)", ["scopes": scopes + ["usage:write"]]))
            }
            #expect(try await deputy.send("PATCH", "roles/\(desk.resourceID)", ["scopes": scopes]).status == 200)
            #expect(try await platform.count("custom_role", where: "'usage:write' = ANY(scopes)") == 0)
        }
    }

    @Test("a person who issues keys gives a key only its own scopes, and gets no secret of a key with more")
    func keyPassesOnMore() async throws {
        try await TestPlatform.run { platform in
            let role = try await Self.role("Keys", ["api_keys:read", "api_keys:write", "users:read"], platform)
            let member = try await Member("Ada", as: role, platform)
            let more: [String: any Sendable] = ["name": "More", "scopes": ["users:read", "users:write"]]
            #expect(try await member.isRefused("POST", "api-keys", more))
            for id in try await member.send("GET", "api-keys").ids {
                #expect(try await member.isRefused("POST", "api-keys/\(id)/roll"))
            }
            #expect(try await platform.count("api_key", where: "issued_by IS NOT NULL") == 0)
            let key: [String: any Sendable] = ["name": "Own", "scopes": ["users:read"]]
            let issued = try await member.send("POST", "api-keys", key)
            #expect(issued.status == 201)
            let secret = try #require(issued.string("secret"))
            #expect(try await platform.call("GET", "/tenants/acme/users", key: secret).status == 200)
            #expect(try await platform.call("GET", "/tenants/acme/members", key: secret).status == 403)
        }
    }

    @Test("of two owners who give up the role at the same time, one stays")
    func lastOwner() async throws {
        try await TestPlatform.run { platform in
            let owners = [try await Member("Ada", as: "owner", platform), try await Member("Grace", as: "owner", platform)]
            let demotions = try await platform.ownerPool.transaction { db in
                // Without an order of the changes, both would count the other owner before they wait here.
                _ = try await db.run("LOCK TABLE audit_event IN SHARE MODE")
                let demotions = owners.map { owner in
                    Task { try await owner.send("PATCH", "members/\(owner.id)", ["role": "viewer"]).status }
                }
                try await platform.waitForLock("both requests wait", by: 2)
                return demotions
            }
            var statuses: [Int] = []
            for demotion in demotions { statuses.append(try await demotion.value) }
            #expect(statuses.sorted() == [200, 409])
            #expect(try await platform.count("membership", where: "role = 'owner'") == 1)
        }
    }

    @Test("an owner gives and changes no role of another tenant, and does not learn its name")
    func roleOfOtherTenant() async throws {
        try await TestPlatform.run { platform in
            let owner = try await Member("Ada", as: "owner", platform)
            let member = try await Member("Grace", as: "developer", platform)
            let foreign = try await Self.role("Secret desk", ["users:read"], of: "globex", platform)
            let alias = ["email": "alias@example.com", "role": foreign]
            let (given, invited) = (
                try await owner.send("PATCH", "members/\(member.id)", ["role": foreign]), try await owner.send("POST", "invitations", alias)
            )
            for answer in [given, invited] { #expect(answer.isProblem(400, "invalid") && !answer.body.contains("Secret desk")) }
            for path in ["/tenants/acme/roles/\(foreign)", "/tenants/globex/roles/\(foreign)"] {
                #expect(try await owner.call("PATCH", path, ["scopes": ["usage:write"]]).isProblem(404, "not_found"), "\(path)")
                #expect(try await owner.call("DELETE", path).isProblem(404, "not_found"), "\(path)")
            }
            #expect(try await platform.count("custom_role", where: "scopes = '{users:read}'") == 1)
            #expect(try await platform.count("membership", where: "role_id IS NOT NULL") == 0)
            #expect(try await platform.count("invitation") == 0)
        }
    }

    @Test("the session of a terminal loses the tenant with the membership, and the permissions with the role, in each process")
    func removedMemberStillCalls() async throws {
        try await TestPlatform.run { platform in
            let (person, program) = (try await TerminalPerson(platform), TerminalPerson.Program())
            let token = try #require(try await person.redeem(try await person.code(program), program).string("access_token"))
            func status(_ method: String, _ path: String, _ body: [String: any Sendable]? = nil) async throws -> Int {
                try await platform.call(method, path, key: token, body).status
            }
            // It is in the cache of this process.
            #expect(try await status("GET", "/tenants/acme/members") == 200)
            let key: [String: any Sendable] = ["name": "CI", "scopes": ["tenants:read"]]
            #expect(try await status("POST", "/tenants/acme/api-keys", key) == 201)
            let members = try await platform.call("GET", "/tenants/acme/members")
            let member = try #require((members.json["data"] as? [[String: any Sendable]])?.first?["id"] as? String)

            #expect(try await platform.call("PATCH", "/tenants/acme/members/\(member)", ["role": "viewer"]).status == 200)
            try await eventually("the role counts") {
                try await status("POST", "/tenants/acme/api-keys", key) == 403 ? true : nil
            }
            #expect(try await status("PATCH", "/tenants/acme/members/\(member)", ["role": "owner"]) == 403)

            #expect(try await platform.call("DELETE", "/tenants/acme/members/\(member)").status == 204)
            try await eventually("the membership has ended") { try await status("GET", "/tenants/acme/members") == 404 ? true : nil }
            #expect(try await status("GET", "/tenants/acme") == 404)
            #expect(try await platform.count("api_key", where: "issued_by IS NOT NULL") >= 1)
        }
    }
}
