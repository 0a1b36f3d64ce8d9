import Foundation
import Server
import Testing
import TestSupport

@Suite("Delete budget")
struct DeleteBudgetTests {
    @Test("a budget is deleted once, under the version that was read, with an audit event")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/budget"
            #expect(try await platform.call("DELETE", path).problem == "not_found")
            #expect(try await platform.call("PUT", path, ["logins": 10]).status == 200)
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", "\"x\"")]).status == 412)
            let deleted = try await platform.call("DELETE", path, key: platform.acme.api_keys[0].secret)
            #expect(deleted.status == 204 && deleted.body.isEmpty)
            #expect(try await platform.call("GET", path).status == 404)
            #expect(try await platform.call("DELETE", path).status == 404)
            let trail = try await platform.auditTrail(of: "deleteBudget")
            #expect(trail.map(\.actor) == [platform.acme.api_keys[0].id] && trail.first?.text.contains("10") == true)
        }
    }

    @Test("another tenant's key and a missing scope are refused, and the budget stays")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/budget"
            let answer = try await platform.call("PUT", path, ["logins": 10])
            #expect(answer.status == 200)
            #expect(try await platform.call("DELETE", path, key: platform.globex.api_keys[0].secret).problem == "not_found")
            #expect(try await platform.call("DELETE", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path).json["logins"] as? Int == 10)
            #expect(try await platform.auditTrail(of: "deleteBudget").isEmpty)
        }
    }
}
