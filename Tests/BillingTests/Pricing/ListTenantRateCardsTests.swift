import Foundation
import Server
import Testing
import TestSupport

@Suite("List tenant rate cards")
struct ListTenantRateCardsTests {
    @Test("a tenant's list has its own cards and those of plans, in pages, and no other tenant's")
    func pages() async throws {
        try await TestPlatform.run { platform in
            for _ in 0..<2 {
                #expect(try await platform.call("POST", "/tenants/acme/rate-cards", TestPlatform.ownCard).status == 201)
            }
            var (seen, path): ([String], String?) = ([], "/tenants/acme/rate-cards?limit=2")
            while let current = path {
                let page = try await platform.call("GET", current, key: platform.acme.api_keys[0].secret)
                #expect(page.status == 200)
                seen += page.elements.map { "\($0["plan"] as? String ?? "own") \($0["version"] as? Int ?? 0)" }
                let after = (page.json["list_metadata"] as? [String: any Sendable])?["after"] as? String
                path = after.map { "/tenants/acme/rate-cards?limit=2&after=\($0)" }
            }
            #expect(Set(seen) == ["own 1", "own 2", "free 1", "scale 1", "enterprise 1"] && seen.count == 5, "\(seen)")
            let other = try await platform.call("GET", "/tenants/globex/rate-cards", key: platform.globex.api_keys[0].secret)
            #expect(other.elements.allSatisfy { $0["tenant_id"] == nil } && other.elements.count == 3)
        }
    }

    @Test("another tenant's key, a missing scope and an unknown parameter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/rate-cards"
            let answer = try await platform.call("GET", path, key: platform.globex.api_keys[0].secret)
            #expect(answer.problem == "not_found")
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path + "?colour=red").status == 400)
        }
    }
}
