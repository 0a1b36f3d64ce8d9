import Access
import Foundation
import People
import Postgres
import Server
import TestSupport
import Testing

@Suite("List people")
struct ListPeopleTests {
    @Test("the list has all accounts, newest first, and an address finds its account")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let ada = try await platform.addPerson("Ada")
            let grace = try await platform.addMember("Grace", as: .builtIn(.owner))
            let page = try await platform.call("GET", "/platform/people")
            #expect(page.ids == [grace.person.description, ada.description])
            #expect((page.data.first?["memberships"] as? [[String: Any]])?.first?["tenant_id"] as? String == platform.acme.id)
            #expect(try await platform.call("GET", "/platform/people?email=ADA@example.com").ids == [ada.description])
            #expect(try await platform.call("GET", "/platform/people?email=nobody@example.com").ids.isEmpty)
            #expect(try await platform.call("GET", "/platform/people", key: platform.acmeKey).isProblem(403, "operator_required"))
            let narrow = try await platform.narrowKey("members:write")
            #expect(try await platform.call("GET", "/platform/people", key: narrow).isProblem(403, "insufficient_scope"))
        }
    }
}
