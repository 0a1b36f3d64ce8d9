import Access
import People
import Server
import TestSupport
import Testing

@Suite("List members")
struct ListMembersTests {
    @Test("the list has the tenant's members, newest first, and no account of another tenant")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let owner = try await platform.addMember("Ada", as: .builtIn(.owner))
            let viewer = try await platform.addMember("Grace", as: .builtIn(.viewer))
            _ = try await platform.addMember("Alan", of: platform.globexID)
            let page = try await platform.call("GET", "/tenants/acme/members", key: platform.acmeKey)
            #expect(page.ids == [viewer.id.description, owner.id.description])
            #expect(page.data.map { $0["role"] as? String } == ["viewer", "owner"])
            #expect(page.data.map { $0["email"] as? String } == ["grace@example.com", "ada@example.com"])
            #expect(page.data.map { $0["person_id"] as? String } == [viewer.person.description, owner.person.description])
            #expect(!page.body.contains("alan"))
            let first = try await platform.call("GET", "/tenants/acme/members?limit=1")
            #expect(
                try await platform.call("GET", "/tenants/acme/members?after=\(first.cursor("after") ?? "")").ids == [owner.id.description])
        }
    }
}
