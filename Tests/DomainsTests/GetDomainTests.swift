import Server
import TestSupport
import Testing

@Suite("Get domain")
struct GetDomainTests {
    @Test("a domain has a version, and another tenant does not see it")
    func gets() async throws {
        try await OwnHost.unclaimed { own in
            let created = try await own.create()
            let found = try await own.get(created.resourceID)
            #expect(found.status == 200 && found.body == created.body && found.header("ETag") == created.header("ETag"))
            #expect(try await own.get(created.resourceID, of: "globex").status == 404)
            #expect(try await own.get("domain_0").status == 404)
        }
    }
}
