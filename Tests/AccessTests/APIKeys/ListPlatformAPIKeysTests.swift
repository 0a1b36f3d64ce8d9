import Foundation
import Server
import Testing
import TestSupport

@Suite("List platform API keys")
struct ListPlatformAPIKeysTests {
    @Test("the list has pages, newest first, with only the platform's keys and no secret")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let path = "/platform/api-keys"
            for name in ["One", "Two"] {
                #expect(try await platform.call("POST", path, ["name": name, "scopes": ["tenants:read"]]).status == 201)
            }
            let first = try await platform.call("GET", path + "?limit=2")
            #expect(Set(first.elements.compactMap { $0["name"] as? String }) == ["One", "Two"])
            #expect(!first.body.contains("secret") && !first.body.contains("digest"))
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", path + "?limit=2&after=\(after)")
            #expect(second.elements.map { $0["name"] as? String } == ["Operator"])
        }
    }

    @Test("a tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/api-keys"
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path + "?name=x").isProblem(400, "invalid"))
        }
    }
}
