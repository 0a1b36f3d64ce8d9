import Access
import People
import Server
import TestSupport
import Testing

@Suite("List operators")
struct ListOperatorsTests {
    @Test("the list has the operators and no member of a tenant, and a tenant's key does not see it")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let person = try await platform.addMember("Ada", as: .builtIn(.platformOperator), of: .platform)
            _ = try await platform.addMember("Grace", as: .builtIn(.owner))
            let page = try await platform.call("GET", "/platform/operators")
            #expect(page.ids == [person.id.description] && page.data.first?["role"] as? String == "operator")
            #expect(try await platform.call("GET", "/platform/operators", key: platform.acmeKey).isProblem(403, "operator_required"))
        }
    }
}
