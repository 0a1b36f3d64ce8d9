import Foundation
import Server
import TestSupport
import Testing

@Suite("AuthKit delete endpoint")
struct AuthKitDeleteEndpointTests {
    @Test("the endpoint is gone, and a webhook of another format stays")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let id = try #require(try await Endpoints.create(client).string("id"))
            let body: [String: any Sendable] = ["url": "https://hooks.example.com/espalier", "events": ["user.created"]]
            let other = try #require(try await platform.call("POST", "/tenants/acme/webhooks", body).string("id"))
            let globex = platform.globex.api_keys[0].secret
            #expect(try await client.call("DELETE", "\(Endpoints.path)/\(id)", key: globex).isError(404, "entity_not_found"))
            #expect(try await client.call("DELETE", "\(Endpoints.path)/\(id)").status == 204)
            #expect(try await client.call("DELETE", "\(Endpoints.path)/\(id)").isError(404, "entity_not_found"))
            #expect(try await client.call("DELETE", "\(Endpoints.path)/\(other)").isError(404, "entity_not_found"))
            #expect(try await platform.call("GET", "/tenants/acme/webhooks/\(other)").status == 200)
            #expect(try await platform.audit(Endpoints.webhook(id)).map(\.action) == ["createWebhook", "deleteWebhook"])
        }
    }
}
