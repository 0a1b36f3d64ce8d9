import Access
import Foundation
import Server
import TestSupport
import Testing

@Suite("Delete API")
struct DeleteAPITests {
    @Test("an API is deleted once, with an audit event; a stale ETag is refused")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.call("POST", "/tenants/acme/apis", CreateAPITests.body)
            let path = "/tenants/acme/apis/\(made.resourceID)"
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", "\"x\"")]).status == 412)
            #expect(try await platform.call("DELETE", path).status == 204)
            #expect(try await platform.call("DELETE", path).status == 404)
            #expect(try await platform.auditTrail(of: "deleteAPI").map(\.subject) == [made.resourceID])
        }
    }
}
