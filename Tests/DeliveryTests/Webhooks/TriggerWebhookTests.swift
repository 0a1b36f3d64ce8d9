import Foundation
import Outbox
import Server
import TestSupport
import Testing

@Suite("Trigger webhook")
struct TriggerWebhookTests {
    @Test("an example of each type goes to the webhooks that subscribe to it, marked as one")
    func triggers() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let types = try #require(try await platform.call("GET", webhook.path).json["events"] as? [String])
            for type in types {
                let answer = try await platform.call("POST", "/tenants/acme/webhooks/trigger", ["type": type])
                #expect(answer.status == 202 && answer.json["deliveries"] as? Int == 1, "\(answer.body)")
                #expect(answer.json["is_example"] as? Bool == true && answer.json["type"] as? String == type)
            }
            try await platform.worker().pass(at: Date())
            #expect(Set(receiver.received.compactMap { $0.json["type"] as? String }) == Set(types))
            for received in receiver.received {
                let data = try #require(received.json["data"] as? [String: any Sendable])
                #expect(data["is_example"] as? Bool == true && data.count > 1)
                let actor = received.json["actor"] as? [String: any Sendable]
                #expect(actor?["id"] as? String == platform.seeded.api_keys[0].id && actor?["address"] != nil)
            }
            #expect(try await platform.audited("triggerWebhook") == types.count)
            #expect(try await platform.call("POST", "/tenants/acme/webhooks/trigger", ["type": "webhook.test"]).status == 400)
            let narrow = platform.acme.api_keys[1].secret
            #expect(try await platform.call("POST", "/tenants/acme/webhooks/trigger", key: narrow, ["type": types[0]]).status == 403)
        }
    }
}
