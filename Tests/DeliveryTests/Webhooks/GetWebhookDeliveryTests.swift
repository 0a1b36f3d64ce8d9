import Foundation
import Outbox
import Server
import Testing
import TestSupport

@Suite("Get webhook delivery")
struct GetWebhookDeliveryTests {
    @Test("a delivery shows its state after each attempt, with a new version")
    func shown() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            try await platform.emit()
            let id = try #require(try await platform.deliveries(webhook).first?["id"] as? String)
            let path = webhook.path + "/deliveries/\(id)"
            let pending = try await platform.call("GET", path, key: platform.acme.api_keys[0].secret)
            #expect(pending.status == 200)
            #expect(pending.json["object"] as? String == "webhook_delivery" && pending.json["state"] as? String == "pending")
            #expect(pending.json["attempts"] as? Int == 0 && pending.json["last_status"] == nil)
            receiver.answer(.status(500))
            try await platform.worker().pass(at: Date())
            let failed = try await platform.call("GET", path)
            #expect(failed.json["attempts"] as? Int == 1 && failed.json["last_status"] as? Int == 500)
            #expect(failed.header("ETag") != pending.header("ETag"))
        }
    }

    @Test("a delivery is found only at its own endpoint and tenant, and only with the scope")
    func refused() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let other = try await platform.webhook(receiver.url, ["user.created"])
            try await platform.emit()
            let id = try #require(try await platform.deliveries(webhook).first?["id"] as? String)
            let shown = try await platform.call("GET", webhook.path + "/deliveries/\(id)")
            #expect(shown.status == 200)
            #expect(shown.header("ETag") != nil)
            #expect(try await platform.call("GET", other.path + "/deliveries/\(id)").status == 404)
            #expect(try await platform.call("GET", "/tenants/globex/webhooks/\(webhook.id)/deliveries/\(id)").status == 404)
            #expect(
                try await platform.call("GET", webhook.path + "/deliveries/\(id)", key: platform.acme.api_keys[1].secret).status == 403)
            for unknown in ["delivery_00000000000000000000000000", "x"] {
                #expect(try await platform.call("GET", webhook.path + "/deliveries/\(unknown)").status == 404)
            }
        }
    }
}
