import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu get provider")
struct MushuGetProviderTests {
    @Test("the provider is the connection that serves the tenant; without one, the response is 404")
    func get() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            let own = try await client.provider("GET", "/apple")
            #expect(own.status == 200, "\(own.body)")
            #expect(own.string("apple_services_id") == platform.own.servicesID)
            #expect(own.json["legacy_bridge_enabled"] as? Bool == false)
            #expect(try await MushuClient.make(platform, tenant: 1, [:]).provider("GET", "/apple").isRefusal(404))
        }
    }
}
