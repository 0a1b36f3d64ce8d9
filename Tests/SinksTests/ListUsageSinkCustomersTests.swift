import Foundation
import Server
import Testing
import TestSupport

@Suite("List usage sink customers")
struct ListUsageSinkCustomersTests {
    @Test("the list contains each tenant's customer in pages, also one that is not billed")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let path = TestPlatform.sinkPath + "/customers"
            #expect(try await platform.call("GET", path).elements.isEmpty)
            try await platform.nameCustomers()
            #expect(try await platform.call("PUT", "/tenants/globex/usage-sink-customer", ["customer_id": NSNull()]).status == 200)
            var (seen, next): ([String: String], String?) = ([:], path + "?limit=1")
            while let current = next {
                let page = try await platform.call("GET", current)
                #expect(page.elements.count == 1, "\(page.body)")
                for entry in page.elements {
                    seen[entry["id"] as? String ?? ""] = entry["customer_id"] as? String ?? "none"
                }
                next = ((page.json["list_metadata"] as? [String: any Sendable])?["after"] as? String).map { "\(path)?limit=1&after=\($0)" }
            }
            #expect(seen == [platform.acme.id: "cus_acme", platform.globex.id: "none"])
        }
    }

    @Test("a tenant's key, a missing scope and an unknown parameter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = TestPlatform.sinkPath + "/customers"
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path + "?tenant=acme").status == 400)
        }
    }
}
