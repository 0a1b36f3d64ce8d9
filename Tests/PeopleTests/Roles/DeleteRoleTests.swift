import Access
import Foundation
import People
import Server
import TestSupport
import Testing

@Suite("Delete role")
struct DeleteRoleTests {
    @Test("a role without members and invitations is deleted, and another one is not")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            func make(_ name: String) async throws -> String {
                try await platform.call("POST", "/tenants/acme/roles", ["name": name, "scopes": ["users:read"]]).resourceID
            }
            let (unused, given, offered) = (try await make("Unused"), try await make("Given"), try await make("Offered"))
            _ = try await platform.addMember("Ada", as: .custom(try #require(ID<CustomRole>(given))))
            #expect(try await platform.invite("grace@example.com", as: offered).status == 201)
            #expect(try await platform.call("DELETE", "/tenants/acme/roles/\(unused)", key: platform.acmeKey).status == 204)
            for id in [given, offered] {
                #expect(try await platform.call("DELETE", "/tenants/acme/roles/\(id)").isProblem(409, "conflict"))
            }
            #expect(try await platform.call("DELETE", "/tenants/acme/roles/\(unused)").isProblem(404, "not_found"))
            #expect(try await platform.audit(unused).map(\.action) == ["createRole", "deleteRole"])
            #expect(try await platform.audit(given).map(\.action) == ["createRole"])
        }
    }
}
