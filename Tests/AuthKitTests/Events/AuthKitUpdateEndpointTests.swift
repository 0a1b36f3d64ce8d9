import Foundation
import Server
import TestSupport
import Testing

@Suite("AuthKit update endpoint")
struct AuthKitUpdateEndpointTests {
    @Test("the URL, the events and the status change, by either form of the ID")
    func changed() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let id = try #require(try await Endpoints.create(client).string("id"))
            let url = "https://hooks.example.com/other"
            let first = try await client.call("PATCH", "\(Endpoints.path)/\(id)", ["endpoint_url": url, "status": "disabled"])
            #expect(first.status == 200, "\(first.body)")
            #expect(first.string("endpoint_url") == url && first.string("status") == "disabled" && first.json["secret"] is NSNull)
            let second = try await client.call("PATCH", "\(Endpoints.path)/\(Endpoints.webhook(id))", ["events": ["user.deleted"]])
            #expect(second.json["events"] as? [String] == ["user.deleted"] && second.string("endpoint_url") == url)
            #expect(try await platform.audit(Endpoints.webhook(id)).map(\.action) == ["createWebhook", "updateWebhook", "updateWebhook"])
        }
    }

    @Test("an unknown, another tenant's and another format's webhook get 404, and invalid members 422")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let id = try #require(try await Endpoints.create(client).string("id"))
            let body: [String: any Sendable] = ["url": "https://hooks.example.com/espalier", "events": ["user.created"]]
            let other = try #require(try await platform.call("POST", "/tenants/acme/webhooks", body).string("id"))
            let change: [String: any Sendable] = ["status": "disabled"]
            for id in [other, "we_\(other.dropFirst("webhook_".count))", "we_00000000000000000000000000", "x"] {
                #expect(try await client.call("PATCH", "\(Endpoints.path)/\(id)", change).isError(404, "entity_not_found"), "\(id)")
            }
            let globex = platform.globex.api_keys[0].secret
            #expect(try await client.call("PATCH", "\(Endpoints.path)/\(id)", key: globex, change).isError(404, "entity_not_found"))
            for change: [String: any Sendable] in [
                ["status": "gone"], ["events": ["user.updated"]], ["endpoint_url": "x"], ["format": "espalier"],
            ] {
                let answer = try await client.call("PATCH", "\(Endpoints.path)/\(id)", change)
                #expect(answer.isError(422, "invalid_request_parameters"), "\(change): \(answer.body)")
            }
            let writer = try #require(try await platform.issue(scopes: ["webhooks:write"]).string("secret"))
            #expect(try await client.call("PATCH", "\(Endpoints.path)/\(id)", key: writer, change).isError(403, "insufficient_scope"))
            // Espalier's own interface keeps the events of the format.
            let path = "/tenants/acme/webhooks/\(Endpoints.webhook(id))"
            #expect(try await platform.call("PATCH", path, ["events": ["statement.closed"]]).isProblem(400, "invalid"))
            #expect(try await platform.call("PATCH", path, ["format": "espalier"]).isProblem(400, "invalid"))
        }
    }
}
