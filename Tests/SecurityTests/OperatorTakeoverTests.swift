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

    /// The codes of attempts of an operator to change the members, invitations and roles of Acme, which has the owner Ada.
    private static func codes(_ token: String, _ platform: TestPlatform) async throws -> [String?] {
        let members = try await platform.call("GET", "/tenants/acme/members")
        let owner = try #require((members.json["data"] as? [[String: any Sendable]])?.first?["id"] as? String)
        let body: [String: any Sendable] = ["name": "Desk \(UUID())", "scopes": ["members:read"]]
        let role = try #require(try await platform.call("POST", "/tenants/acme/roles", body).string("id"))
        let attempts: [(method: String, path: String, body: [String: any Sendable]?)] = [
            ("POST", "invitations", ["email": "GRACE@example.com", "role": "owner"]),
            // An account that nobody knows to be the operator's.
            ("POST", "invitations", ["email": "alias@example.com", "role": "owner"]),
            ("POST", "invitations", ["email": "alias@example.com", "role": "viewer"]),
            ("PATCH", "members/\(owner)", ["role": "viewer"]), ("DELETE", "members/\(owner)", nil),
            ("POST", "roles", ["name": "All", "scopes": ["users:read"]]), ("PATCH", "roles/\(role)", ["scopes": ["users:read"]]),
            ("DELETE", "roles/\(role)", nil),
        ]
        var codes: [String?] = []
        for attempt in attempts {
            codes.append(try await platform.call(attempt.method, "/tenants/acme/\(attempt.path)", key: token, attempt.body).string("code"))
        }
        return codes
    }

    private static let refused = ["conflict"] + Array(repeating: "insufficient_scope", count: 7)

    @Test("in a tenant with an owner, an operator without a support access changes neither members nor invitations nor roles")
    func withoutSupport() async throws {
        try await TestPlatform.run { platform in
            let token = try await Self.token(platform)
            var ada = PersonClient(platform)
            try await ada.register(as: "owner")
            #expect(try await Self.codes(token, platform) == Self.refused)
            #expect(try await platform.count("invitation", where: "accepted_at IS NULL") == 0)
            #expect(try await platform.count("membership", where: "role = 'owner'") == 1)

            // Without its last owner, the operator could invite the next one.
            let person = try #require(try await platform.call("GET", "/platform/people?email=ada@example.com").ids.first)
            #expect(try await platform.call("DELETE", "/platform/people/\(person)", key: token).status == 409)
            #expect(try await platform.count("person") == 2)
        }
    }

    @Test("during a support access, an operator changes neither members nor invitations nor roles, and so brings in no account of its own")
    func duringSupport() async throws {
        try await TestPlatform.run { platform in
            let token = try await Self.token(platform)
            var ada = PersonClient(platform)
            try await ada.register(as: "owner")
            let reason: [String: any Sendable] = ["reason": "Ticket 4711: the owner is locked out.", "minutes": 15]
            #expect(try await platform.call("POST", "/tenants/acme/support-accesses", key: token, reason).status == 201)
            #expect(try await platform.call("GET", "/tenants/acme/users", key: token).status == 200)
            #expect(try await Self.codes(token, platform) == Self.refused)
            #expect(try await platform.count("invitation", where: "accepted_at IS NULL") == 0)
            #expect(try await platform.count("membership", where: "role = 'owner'") == 1)
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
            // The way to another owner if none can sign in.
            #expect(try await Self.invite("mary@example.com", nil, platform).status == 201)
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

    @Test("during a support access, an operator adds no Apple Account to a user, and so signs in as no user after the end")
    func identity() async throws {
        try await TestPlatform.run { platform in
            let token = try await Self.token(platform)
            let path = "/tenants/acme/users/\(try await platform.login("Ada Lovelace").user)/identities"
            let body: [String: any Sendable] = ["team_id": platform.own.team, "subject": "000123.0123456789abcdef0123456789abcdef.0789"]
            // A support access would not help.
            #expect(try await platform.call("POST", path, key: token, body).isProblem(403, "insufficient_scope"))
            let reason: [String: any Sendable] = ["reason": "Ticket 4711: a user lost an account.", "minutes": 15]
            #expect(try await platform.call("POST", "/tenants/acme/support-accesses", key: token, reason).status == 201)
            let refused = try await platform.call("POST", path, key: token, body)
            #expect(refused.isProblem(403, "insufficient_scope"), "\(refused.body)")
            // espalierctl shows the next step for it.
            #expect(refused.string("detail")?.contains("support access") == true)
            #expect(try await platform.count("identity") == 1)
            #expect(try await platform.call("GET", path, key: token).data.count == 1)
            // The tenant adds it, and so does an API key of an operator.
            let added = try await platform.call("POST", path, key: platform.acme.api_keys[0].secret, body)
            #expect(added.status == 201, "\(added.body)")
            let other = body.merging(["subject": "000123.0123456789abcdef0123456789abcdef.0790"]) { $1 }
            #expect(try await platform.call("POST", path, other).status == 201)
        }
    }
}
