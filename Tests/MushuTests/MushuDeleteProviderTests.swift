import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu delete provider")
struct MushuDeleteProviderTests {
    @Test("a connection in use stays; another one is deleted")
    func delete() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            #expect(try await client.provider("DELETE", "/apple").isRefusal(409))
            let activated = try await platform.call("POST", "/tenants/acme/shared-connection/activate", ["existing_users": "new_users"])
            #expect(activated.status == 200, "\(activated.body)")
            let deleted = try await client.provider("DELETE", "/apple")
            #expect(deleted.status == 200, "\(deleted.body)")
            #expect(deleted.string("status") == "deleted")
            #expect(try await client.provider("GET", "/apple").isRefusal(404))
            #expect(try await client.provider("DELETE", "/apple").isRefusal(404))
        }
    }
}
