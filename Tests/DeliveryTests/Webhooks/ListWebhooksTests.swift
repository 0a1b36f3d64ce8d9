import Foundation
import Server
import Testing
import TestSupport

@Suite("List webhooks")
struct ListWebhooksTests {
    @Test("the list has pages, newest first, of this tenant only")
    func pages() async throws {
        try await TestPlatform.run { platform in
            var ids: [String] = []
            for _ in 0..<3 { ids.insert(try await platform.webhook(unusedURL).id, at: 0) }
            _ = try await platform.webhook(unusedURL, tenant: "globex")
            let first = try await platform.call("GET", "/tenants/acme/webhooks?limit=2")
            let data = try #require(first.json["data"] as? [[String: any Sendable]])
            #expect(data.map { $0["id"] as? String } == Array(ids.prefix(2)))
            #expect(data.allSatisfy { $0["secret"] == nil })
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", "/tenants/acme/webhooks?limit=2&after=\(after)")
            #expect((second.json["data"] as? [[String: any Sendable]])?.map { $0["id"] as? String } == [ids[2]])
            #expect(try await platform.call("GET", "/tenants/acme/webhooks?colour=red").status == 400)
        }
    }
}
