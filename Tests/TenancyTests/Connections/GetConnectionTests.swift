import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Get connection")
struct GetConnectionTests {
    @Test("a tenant sees only its own connections, and the list has pages in both directions")
    func seen() async throws {
        try await TestPlatform.run { platform in
            let apple = try await AppleTeam.make(platform)
            let made = try await platform.call("POST", "/tenants/acme/connections", apple.body())
            let connection = "/tenants/acme/connections/\(made.resourceID)"
            #expect(try await platform.call("GET", connection, key: platform.acme.api_keys[0].secret).status == 200)
            #expect(try await platform.call("GET", connection, key: platform.acme.api_keys[1].secret).status == 403)
            #expect(try await platform.call("GET", connection, key: platform.globex.api_keys[0].secret).status == 404)
            let globex = "/tenants/globex/connections"
            let crossed = try await platform.call("GET", "\(globex)/\(made.resourceID)", key: platform.globex.api_keys[0].secret)
            #expect(crossed.status == 404)
            #expect(try await platform.call("GET", globex).elements.isEmpty)
            #expect(try await platform.call("GET", "\(globex)/connection_0").status == 404)

            let first = try await platform.call("GET", "/tenants/acme/connections?limit=1")
            #expect(first.elements.map { $0["id"] as? String } == [made.resourceID])
            let metadata = first.json["list_metadata"] as? [String: any Sendable]
            let second = try await platform.call("GET", "/tenants/acme/connections?after=\(metadata?["after"] as? String ?? "")")
            #expect(second.elements.map { $0["serving"] as? Bool } == [true])
            #expect((second.elements.first?["apple_keys"] as? [Any])?.count == 1)
            #expect(try await platform.call("GET", "/tenants/acme/connections?limit=0").status == 400)
        }
    }
}
