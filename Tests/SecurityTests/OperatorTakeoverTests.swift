import Foundation
import Postgres
import Server
import TestSupport
import Testing

/// An operator who is a person gives itself a role in a tenant, and so sees its data without a support access.
@Suite("Attack: an operator who becomes a member")
struct OperatorTakeoverTests {
    /// An operator at a terminal, with the address grace@example.com.
    private static func token(_ platform: TestPlatform) async throws -> String {
        let (person, program) = (try await TerminalPerson(platform, name: "Grace"), TerminalPerson.Program())
        _ = try await platform.ownerPool.run(
            "UPDATE membership SET tenant_id = '00000000-0000-0000-0000-000000000000', role = 'operator'")
        return try #require(try await person.redeem(try await person.code(program), program).string("access_token"))
    }

    private static func invite(
        _ email: String, as role: String = "owner", _ token: String?, _ platform: TestPlatform
    ) async throws -> TestBrowser.Answer {
        try await platform.call("POST", "/tenants/acme/invitations", key: token, ["email": email, "role": role])
    }

    @Test("in a tenant with an owner, an operator without a support access changes neither members nor invitations nor roles")
    func withoutSupport() async throws {
        try await TestPlatform.run { platform in
            let token = try await Self.token(platform)
            var ada = PersonClient(platform)
            try await ada.register(as: "owner")
            let members = try await platform.call("GET", "/tenants/acme/members")
            let owner = try #require((members.json["data"] as? [[String: any Sendable]])?.first?["id"] as? String)
            let body: [String: any Sendable] = ["name": "Desk", "scopes": ["members:read"]]
            let role = try #require(try await platform.call("POST", "/tenants/acme/roles", body).string("id"))
            let attempts: [(method: String, path: String, body: [String: any Sendable]?)] = [
                ("POST", "invitations", ["email": "grace@example.com", "role": "owner"]),
                ("POST", "invitations", ["email": "other@example.com", "role": "viewer"]),
                ("PATCH", "members/\(owner)", ["role": "viewer"]), ("DELETE", "members/\(owner)", nil),
                ("POST", "roles", ["name": "All", "scopes": ["users:read"]]), ("PATCH", "roles/\(role)", ["scopes": ["users:read"]]),
                ("DELETE", "roles/\(role)", nil),
            ]
            func codes() async throws -> [String?] {
                var codes: [String?] = []
                for attempt in attempts {
                    codes.append(
                        try await platform.call(attempt.method, "/tenants/acme/\(attempt.path)", key: token, attempt.body).string("code"))
                }
                return codes
            }
            #expect(try await codes() == ["conflict"] + Array(repeating: "support_required", count: 6))
            // Not even if the tenant allows no support.
            _ = try await platform.call("PATCH", "/tenants/acme", key: platform.acme.api_keys[0].secret, ["allows_support": false])
            #expect(try await codes() == ["conflict"] + Array(repeating: "support_required", count: 6))
            #expect(try await platform.count("invitation", where: "accepted_at IS NULL") == 0)
            #expect(try await platform.count("membership", where: "role = 'owner'") == 1)

            // Without its last owner, the tenant could not consent.
            let person = try #require(try await platform.call("GET", "/platform/people?email=ada@example.com").ids.first)
            #expect(try await platform.call("DELETE", "/platform/people/\(person)", key: token).status == 409)
            #expect(try await platform.count("person") == 2)
        }
    }

    @Test("during a support access, an operator invites others, and never an operator")
    func duringSupport() async throws {
        try await TestPlatform.run { platform in
            let token = try await Self.token(platform)
            var ada = PersonClient(platform)
            try await ada.register(as: "owner")
            let reason: [String: any Sendable] = ["reason": "Ticket 4711: the owner is locked out.", "minutes": 15]
            #expect(try await platform.call("POST", "/tenants/acme/support-accesses", key: token, reason).status == 201)
            #expect(try await Self.invite("GRACE@example.com", token, platform).status == 409)
            let invited = try await Self.invite("mary@example.com", token, platform)
            #expect(invited.status == 201)
            let acts = try await platform.ownerPool.run(
                "SELECT support_access_id FROM audit_event WHERE action = 'createInvitation' AND support_access_id IS NOT NULL")
            #expect(acts.count == 1)
            // A member who is an operator keeps the role that the tenant gave.
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO membership (tenant_id, id, person_id, role, created_at, updated_at)
                SELECT '00000000-0000-0000-0000-000000000000', gen_random_uuid(), id, 'operator', now(), now()
                FROM person WHERE email = 'ada@example.com'
                """)
            let members = try await platform.call("GET", "/tenants/acme/members")
            let member = try #require((members.json["data"] as? [[String: any Sendable]])?.first?["id"] as? String)
            #expect(try await platform.call("PATCH", "/tenants/acme/members/\(member)", key: token, ["role": "admin"]).status == 409)
        }
    }

    @Test("an operator invites the first owner of a tenant, and not an operator")
    func firstOwner() async throws {
        try await TestPlatform.run { platform in
            let token = try await Self.token(platform)
            #expect(try await Self.invite("grace@example.com", token, platform).status == 409)
            #expect(try await Self.invite("ada@example.com", token, platform).status == 201)
            #expect(try await Self.invite("mary@example.com", as: "viewer", token, platform).status == 201)
            // An API key of an operator is a machine.
            #expect(try await Self.invite("grace@example.com", nil, platform).status == 201)
        }
    }
}
