import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("List connections")
struct ListConnectionsTests {
    @Test("the list has pages, newest first, with the keys of each connection")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let made = try await platform.call("POST", "/tenants/acme/connections", apple.body())
            let first = try await platform.call("GET", "/tenants/acme/connections?limit=1")
            #expect(first.elements.map { $0["id"] as? String } == [made.resourceID])
            let metadata = first.json["list_metadata"] as? [String: any Sendable]
            let second = try await platform.call("GET", "/tenants/acme/connections?after=\(metadata?["after"] as? String ?? "")")
            #expect(second.elements.map { $0["serving"] as? Bool } == [true])
            #expect((second.elements.first?["apple_keys"] as? [Any])?.count == 1)
            #expect(try await platform.call("GET", "/tenants/acme/connections?limit=0").status == 400)
            let before = try #require((second.json["list_metadata"] as? [String: any Sendable])?["before"] as? String)
            let back = try await platform.call("GET", "/tenants/acme/connections?before=\(before)")
            #expect(back.elements.map { $0["id"] as? String } == [made.resourceID])
        }
    }

    @Test("another tenant's key and a missing scope are refused, and a tenant without connections has none")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let path = "/tenants/acme/connections"
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).problem == "not_found")
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
            let own = try await platform.call("GET", "/tenants/globex/connections", key: platform.globex.api_keys[0].secret)
            #expect(own.status == 200 && own.elements.isEmpty)
        }
    }
}
