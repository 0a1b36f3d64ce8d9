import Access
import People
import Server
import TestSupport
import Testing

@Suite("Delete operator")
struct DeleteOperatorTests {
    @Test("the membership ends, with an event in the platform's trail, and only a caller with every scope can end it")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let person = try await platform.addMember("Ada", as: .builtIn(.platformOperator), of: .platform)
            let path = "/platform/operators/\(person.id)"
            let narrow = try await platform.narrowKey("members:write")
            #expect(try await platform.call("DELETE", path, key: narrow).isProblem(403, "insufficient_scope"))
            #expect(try await platform.call("DELETE", path, key: platform.acmeKey).isProblem(403, "operator_required"))
            #expect(try await platform.call("DELETE", path).status == 204)
            #expect(try await platform.call("DELETE", path).isProblem(404, "not_found"))
            #expect(try await platform.audit(person.id.description).map(\.action) == ["deleteOperator"])
        }
    }

    @Test("a member of a tenant is not an operator")
    func members() async throws {
        try await TestPlatform.run { platform in
            let member = try await platform.addMember("Ada")
            #expect(try await platform.call("DELETE", "/platform/operators/\(member.id)").isProblem(404, "not_found"))
            #expect(try await platform.count("membership") == 1)
        }
    }
}
