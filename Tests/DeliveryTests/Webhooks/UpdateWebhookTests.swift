import Foundation
import Server
import Testing
import TestSupport

@Suite("Update webhook")
struct UpdateWebhookTests {
    @Test("sent members change, absent ones stay, and null removes a description")
    func changes() async throws {
        try await TestPlatform.run { platform in
            let webhook = try await platform.webhook(unusedURL)
            let described = try await platform.call(
                "PATCH", webhook.path, ["description": "CRM", "events": ["session.revoked"], "url": "https://other.example.com/"])
            #expect(described.status == 200, "\(described.body)")
            #expect(described.json["url"] as? String == "https://other.example.com/")
            #expect(described.json["events"] as? [String] == ["session.revoked"])
            let updated = try await platform.call("PATCH", webhook.path, ["status": "disabled"])
            #expect(updated.json["description"] as? String == "CRM")
            #expect(updated.json["status"] as? String == "disabled")
            #expect(updated.header("ETag") != described.header("ETag"))
            let removed = try await platform.call("PATCH", webhook.path, ["description": NSNull()])
            #expect(removed.status == 200)
            #expect(removed.json["description"] == nil)
            #expect(try await platform.audited("updateWebhook") == 3)
        }
    }

    @Test("invalid changes, an outdated version and another tenant are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let webhook = try await platform.webhook(unusedURL)
            for body: [String: any Sendable] in [
                ["url": NSNull()], ["events": NSNull()], ["status": NSNull()], ["url": "http://a.example/"], ["status": "gone"],
                ["events": [String]()], ["secret": "whsec_x"],
            ] {
                #expect(try await platform.call("PATCH", webhook.path, body).status == 400, "\(body)")
            }
            let old = try #require(try await platform.call("GET", webhook.path).header("ETag"))
            #expect(try await platform.call("PATCH", webhook.path, ["status": "disabled"], headers: [("If-Match", old)]).status == 200)
            #expect(try await platform.call("PATCH", webhook.path, ["status": "enabled"], headers: [("If-Match", old)]).status == 412)
            #expect(try await platform.call("PATCH", "/tenants/globex/webhooks/\(webhook.id)", ["status": "enabled"]).status == 404)
            #expect(
                try await platform.call("PATCH", webhook.path, key: platform.acme.api_keys[1].secret, ["status": "enabled"]).status == 403)
            #expect(try await platform.audited("updateWebhook") == 1)
        }
    }
}
