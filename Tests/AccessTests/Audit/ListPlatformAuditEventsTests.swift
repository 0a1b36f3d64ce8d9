import Foundation
import Server
import Testing
import TestSupport

@Suite("List platform audit events")
struct ListPlatformAuditEventsTests {
    @Test("operators see the platform's own events, filtered and in pages, and no tenant's events")
    func lists() async throws {
        try await TestPlatform.run { platform in
            #expect(try await platform.call("PATCH", "/tenants/acme", ["name": "New"]).status == 200)
            for name in ["One", "Two", "Three"] {
                #expect(try await platform.call("POST", "/platform/api-keys", ["name": name, "scopes": ["tenants:read"]]).status == 201)
            }
            let path = "/platform/audit-events?action=issuePlatformAPIKey&limit=2"
            let first = try await platform.call("GET", path)
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", path + "&after=\(after)")
            #expect((first.elements + second.elements).map { $0["sequence"] as? Int } == [3, 2, 1])
            #expect(first.elements.allSatisfy { $0["actor"] as? String == platform.seeded.api_keys[0].id })
            #expect(try await platform.call("GET", "/platform/audit-events?action=updateTenant").elements.isEmpty)
        }
    }

    @Test("a tenant's key, a missing scope and an invalid filter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/audit-events"
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path + "?from=yesterday").refusedFields == ["from"])
        }
    }
}
