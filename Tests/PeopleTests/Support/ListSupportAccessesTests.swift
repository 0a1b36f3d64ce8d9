import Access
import Foundation
import People
import Server
import TestSupport
import Testing

@Suite("List support accesses")
struct ListSupportAccessesTests {
    @Test("the tenant sees each access with the operator and the reason, newest first")
    func lists() async throws {
        try await TestPlatform.run { platform in
            let (person, secret) = try await platform.addOperator()
            let first = try #require(try await platform.startSupport(secret).string("id"))
            #expect(try await platform.call("POST", "/tenants/acme/support-accesses/\(first)/end", key: platform.acmeKey).status == 200)
            let second = try #require(try await platform.startSupport(secret).string("id"))
            let list = try await platform.call("GET", "/tenants/acme/support-accesses", key: platform.acmeKey)
            let data = try #require(list.json["data"] as? [[String: any Sendable]])
            #expect(data.map { $0["id"] as? String } == [second, first])
            #expect(data.map { $0["state"] as? String } == ["active", "ended"])
            #expect(data[0]["person_id"] as? String == person.description && data[0]["reason"] as? String == "Ticket 4711: sign-ins fail.")
            let narrow = try await platform.acmeKey(["users:read"])
            #expect(try await platform.call("GET", "/tenants/acme/support-accesses", key: narrow).status == 403)
        }
    }
}
