import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("Delete person")
struct DeletePersonTests {
    @Test("the account, its factors and its memberships go, with an event in the trail of each owner")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let ada = try await platform.addMember("Ada", as: .builtIn(.owner))
            let grace = try await platform.addMember("Grace")
            _ = try await platform.ownerPool.run(
                Membership.insert(ID(at: Date()), of: ada.person, as: .builtIn(.viewer), owner: platform.globexID, at: Date()))
            try await platform.addFactors(ada.person)
            #expect(try await platform.call("DELETE", "/platform/people/\(ada.person)").status == 204)
            #expect(try await platform.call("DELETE", "/platform/people/\(ada.person)").isProblem(404, "not_found"))
            for table in ["person_totp", "passkey", "recovery_code", "person_session"] { #expect(try await platform.count(table) == 0) }
            #expect(try await platform.count("membership") == 1)
            #expect(try await platform.audit(ada.id.description).map(\.action) == ["deletePerson"])
            #expect(try await platform.count("audit_event", where: "action = 'deletePerson'") == 3)
            #expect(try await platform.call("GET", "/platform/people/\(grace.person)").status == 200)
        }
    }

    @Test("a caller with fewer scopes than a membership of the person deletes nothing")
    func escalation() async throws {
        try await TestPlatform.run { platform in
            let ada = try await platform.addMember("Ada", as: .builtIn(.admin))
            let narrow = try await platform.narrowKey("members:write")
            #expect(try await platform.call("DELETE", "/platform/people/\(ada.person)", key: narrow).isProblem(403, "insufficient_scope"))
            #expect(try await platform.count("person") == 1)
        }
    }
}
