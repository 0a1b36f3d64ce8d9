import Access
import Foundation
import Server
import TestSupport
import Testing

@Suite("List APIs")
struct ListAPIsTests {
    @Test("a list has the tenant's APIs with their applications, newest first")
    func lists() async throws {
        try await TestPlatform.run { platform in
            var ids: [String] = []
            for n in 1...3 {
                let permission: [String: any Sendable] = ["id": platform.acme.applications[n - 1].client_id]
                let body = CreateAPITests.body.merging(["audience": "urn:api:\(n)", "applications": [permission]]) { $1 }
                ids.insert(try await platform.call("POST", "/tenants/acme/apis", body).resourceID, at: 0)
            }
            let first = try await platform.call("GET", "/tenants/acme/apis?limit=2")
            #expect(first.ids == Array(ids.prefix(2)))
            let permitted = first.data.map { (($0["applications"] as? [[String: Any]])?.first?["id"] as? String) ?? "" }
            #expect(permitted == [platform.acme.applications[2].client_id, platform.acme.applications[1].client_id])
            let cursor = (first.json["list_metadata"] as? [String: Any])?["after"] as? String ?? ""
            #expect(try await platform.call("GET", "/tenants/acme/apis?limit=2&after=\(cursor)").ids == [ids[2]])
            #expect(try await platform.call("GET", "/tenants/globex/apis").ids.isEmpty)
        }
    }
}
