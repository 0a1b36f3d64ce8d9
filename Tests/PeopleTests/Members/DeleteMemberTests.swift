import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Delete member")
struct DeleteMemberTests {
    private static func path(_ id: ID<Membership>) -> String { "/tenants/acme/members/\(id)" }

    @Test("the membership ends, the account and its other memberships remain")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let member = try await platform.addMember("Ada")
            let other = ID<Membership>(at: Date())
            _ = try await platform.ownerPool.run(
                Membership.insert(other, of: member.person, as: .builtIn(.viewer), owner: platform.globexID, at: Date()))
            let answer = try await platform.call("DELETE", Self.path(member.id), key: platform.acmeKey)
            #expect(answer.status == 204 && answer.body.isEmpty)
            #expect(try await platform.call("DELETE", Self.path(member.id)).isProblem(404, "not_found"))
            #expect(try await platform.call("GET", "/tenants/globex/members").ids == [other.description])
            #expect(try await platform.count("person") == 1)
            let trail = try await platform.audit(member.id.description)
            #expect(trail.map(\.action) == ["deleteMember"] && trail[0].before?.contains("ada@example.com") == true)
        }
    }

    @Test("an admin removes no owner, and the last owner stays unless an operator decides")
    func owners() async throws {
        try await TestPlatform.run { platform in
            let owner = try await platform.addMember("Ada", as: .builtIn(.owner))
            let admin = try await platform.acmeKey(.admin)
            #expect(try await platform.call("DELETE", Self.path(owner.id), key: admin).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("DELETE", Self.path(owner.id), key: platform.acmeKey).isProblem(409, "conflict"))
            #expect(try await platform.call("DELETE", Self.path(owner.id)).status == 204)
        }
    }

    @Test("an operator's membership is not below a tenant, and an old version is refused")
    func refuses() async throws {
        try await TestPlatform.run { platform in
            let member = try await platform.addMember("Ada")
            let person = try await platform.addMember("Grace", as: .builtIn(.platformOperator), of: .platform)
            #expect(try await platform.call("DELETE", Self.path(person.id)).isProblem(404, "not_found"))
            let stale = try await platform.call("DELETE", Self.path(member.id), headers: [("If-Match", "\"old\"")])
            #expect(stale.isProblem(412, "precondition_failed"))
            #expect(try await platform.count("membership") == 2)
        }
    }

    @Test("with revoke_api_keys, the tenant's keys of this person end, each with an event, and no others")
    func keys() async throws {
        try await TestPlatform.run { platform in
            let (member, other) = (try await platform.addMember("Ada"), try await platform.addMember("Grace"))
            let own = try await platform.addKey(issuedBy: member.person)
            let foreign = try await platform.addKey(issuedBy: other.person)
            let elsewhere = try await platform.addKey(issuedBy: member.person, of: platform.globexID)
            let inviting = try await platform.addKey(issuedBy: member.person)
            _ = try await platform.call("POST", "/tenants/acme/invitations", ["email": "alias@example.com", "role": "viewer"])
            _ = try await platform.ownerPool.run("UPDATE invitation SET invited_by = \(inviting.description)")
            let (path, valid) = ("\(Self.path(member.id))?revoke_api_keys=", "revoked_at IS NULL AND issued_by IS NOT NULL")
            #expect(try await platform.call("DELETE", path + "yes", key: platform.acmeKey).isProblem(400, "invalid"))
            let narrow = try await platform.acmeKey(
                BuiltInRole.developer.scopes.map(\.rawValue).filter { $0 != "api_keys:write" } + ["members:write"])
            #expect(try await platform.call("DELETE", path + "true", key: narrow).isProblem(403, "insufficient_scope"))
            #expect(try await platform.count("api_key", where: valid) == 4)

            #expect(try await platform.call("DELETE", path + "true", key: platform.acmeKey).status == 204)
            #expect(try await platform.count("api_key", where: "\(valid) AND id IN ('\(foreign.uuid)', '\(elsewhere.uuid)')") == 2)
            #expect(try await platform.count("invitation") == 0)
            let trail = try await platform.audit(own.description)
            #expect(trail.map(\.action) == ["deleteMember"] && trail[0].after?.contains("revoked_at") == true)
            // Without it, the keys stay.
            #expect(try await platform.call("DELETE", Self.path(other.id), key: platform.acmeKey).status == 204)
            #expect(try await platform.count("api_key", where: valid) == 2)
        }
    }
}
