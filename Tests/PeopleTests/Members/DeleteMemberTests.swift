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
}
