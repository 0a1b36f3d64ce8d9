import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit list API keys")
struct AuthKitListAPIKeysTests {
    @Test("pages lead through all keys of the tenant")
    func list() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let path = "/organizations/\(client.organization)/api_keys"
            let all = try await client.call(path)
            #expect(Set(all.ids) == Set(platform.acme.api_keys.map { "api_key_" + $0.id.dropFirst("apikey_".count) }), "\(all.body)")
            let page = try await client.call("\(path)?limit=1")
            #expect(page.ids == [all.ids[0]])
            #expect(try await client.call("\(path)?limit=1&after=\(page.cursor("after") ?? "")").ids == [all.ids[1]])
            #expect(!platform.acme.api_keys.contains { all.body.contains($0.secret) })
            #expect(try await client.call("/organizations/\(platform.globex.id)/api_keys").isError(404, "entity_not_found"))
        }
    }
}
