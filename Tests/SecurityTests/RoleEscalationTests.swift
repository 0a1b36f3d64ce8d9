import Foundation
import Postgres
import TestSupport
import Testing

/// A member keeps a permission after it was taken away.
@Suite("Attack: more permissions than the role has")
struct RoleEscalationTests {
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
