import Foundation
import NIOHTTP1
import Server
import TestSupport
import Testing

@Suite("Get connection")
struct GetConnectionTests {
    @Test("a tenant sees only its own connections")
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
        }
    }
}
