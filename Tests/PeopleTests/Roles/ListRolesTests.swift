import Server
import TestSupport
import Testing

@Suite("List roles")
struct ListRolesTests {
    @Test("the list has the tenant's roles, newest first, in pages")
    func lists() async throws {
        try await TestPlatform.run { platform in
            var ids: [String] = []
            for name in ["One", "Two", "Three"] {
                ids.insert(
                    try await platform.call("POST", "/tenants/acme/roles", ["name": name, "scopes": ["users:read"]]).resourceID, at: 0)
            }
            #expect(try await platform.call("POST", "/tenants/globex/roles", ["name": "Other", "scopes": ["users:read"]]).status == 201)
            let first = try await platform.call("GET", "/tenants/acme/roles?limit=2", key: platform.acmeKey)
            #expect(first.ids == Array(ids.prefix(2)))
            let second = try await platform.call("GET", "/tenants/acme/roles?limit=2&after=\(first.cursor("after") ?? "")")
            #expect(second.ids == [ids[2]])
        }
    }
}
