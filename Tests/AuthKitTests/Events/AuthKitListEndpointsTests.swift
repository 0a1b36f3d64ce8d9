import Foundation
import Server
import TestSupport
import Testing

@Suite("AuthKit list endpoints")
struct AuthKitListEndpointsTests {
    @Test("the list has the webhooks of the format workos, in pages and both orders")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try #require(try await Endpoints.create(client).string("id"))) }
            let others: [String: any Sendable] = ["url": "https://hooks.example.com/espalier", "events": ["user.created"]]
            #expect(try await platform.call("POST", "/tenants/acme/webhooks", others).status == 201)
            #expect(try await client.call("\(Endpoints.path)?order=asc").ids == ids)
            let page = try await client.call("\(Endpoints.path)?limit=2")
            #expect(page.ids == [ids[2], ids[1]])
            #expect(try await client.call("\(Endpoints.path)?limit=2&after=\(page.cursor("after") ?? "")").ids == [ids[0]])
            #expect(try await client.call(Endpoints.path, key: platform.globex.api_keys[0].secret).ids == [])
            #expect(try await client.call("\(Endpoints.path)?after=x").isError(422, "invalid_request_parameters"))
        }
    }
}
