import Foundation
import Outbox
import Server
import TestSupport
import Testing

@Suite("Replay webhook delivery")
struct ReplayWebhookDeliveryTests {
    @Test("a replay is a new delivery of the same event, with the same webhook-id")
    func replays() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            try await platform.emit()
            let id = try #require(try await platform.deliveries(webhook).first?["id"] as? String)
            let path = webhook.path + "/deliveries/\(id)/replay"
            #expect(try await platform.call("POST", path).status == 409, "it is pending")
            try await platform.worker().pass(at: Date())
            let replay = try await platform.call("POST", path)
            #expect(replay.status == 202, "\(replay.body)")
            let replayID = try #require(replay.json["id"] as? String)
            #expect(replayID != id)
            #expect(replay.location == "/v1\(webhook.path)/deliveries/\(replayID)")
            try await platform.worker().pass(at: Date())
            #expect(receiver.received.count == 2)
            #expect(receiver.received[0].id == receiver.received[1].id)
            #expect(receiver.received[0].body == receiver.received[1].body)
            #expect(try await platform.deliveries(webhook, "?state=succeeded").count == 2)
            #expect(try await platform.audited("replayWebhookDelivery") == 1)
            #expect(try await platform.call("POST", "/tenants/globex/webhooks/\(webhook.id)/deliveries/\(id)/replay").status == 404)
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[1].secret).status == 403)
            #expect(try await platform.call("PATCH", webhook.path, ["status": "disabled"]).status == 200)
            #expect(try await platform.call("POST", path).status == 409)
        }
    }
}
