import Foundation
import Outbox
import Server
import TestSupport
import Testing

@Suite("Test webhook")
struct TestWebhookTests {
    @Test("a test event goes to this endpoint, regardless of its subscriptions")
    func tests() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            _ = try await platform.webhook(receiver.url)
            let answer = try await platform.call("POST", webhook.path + "/test")
            #expect(answer.status == 202, "\(answer.body)")
            #expect(answer.json["object"] as? String == "webhook_delivery")
            #expect(answer.json["state"] as? String == "pending")
            #expect(answer.json["attempts"] as? Int == 0)
            try await platform.worker().pass(at: Date())
            #expect(receiver.received.count == 1)
            #expect(receiver.received[0].json["type"] as? String == "webhook.test")
            #expect(receiver.received[0].data == ["webhook_id": webhook.id])
            #expect(receiver.received[0].isSigned(by: webhook.secret))
            let location = try #require(answer.location)
            #expect(try await platform.call("GET", String(location.dropFirst(3))).json["state"] as? String == "succeeded")
            #expect(try await platform.audited("testWebhook") == 1)
            #expect(try await platform.call("PATCH", webhook.path, ["status": "disabled"]).status == 200)
            #expect(try await platform.call("POST", webhook.path + "/test").status == 409)
            #expect(try await platform.call("POST", "/tenants/globex/webhooks/\(webhook.id)/test").status == 404)
            #expect(try await platform.call("POST", webhook.path + "/test", key: platform.acme.api_keys[1].secret).status == 403)
        }
    }
}
