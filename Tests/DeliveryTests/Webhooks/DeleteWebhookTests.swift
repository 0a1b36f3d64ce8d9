import Foundation
import Outbox
import Server
import TestSupport
import Testing

@Suite("Delete webhook")
struct DeleteWebhookTests {
    @Test("a webhook is deleted with its deliveries, and pending events are not sent")
    func deletes() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            try await platform.emit()
            #expect(try await platform.call("DELETE", "/tenants/globex/webhooks/\(webhook.id)").status == 404)
            #expect(try await platform.call("DELETE", webhook.path, headers: [("If-Match", "\"x\"")]).status == 412)
            #expect(try await platform.call("DELETE", webhook.path, key: platform.acme.api_keys[1].secret).status == 403)
            let deleted = try await platform.call("DELETE", webhook.path)
            #expect(deleted.status == 204)
            #expect(deleted.body.isEmpty)
            for path in ["", "/deliveries"] { #expect(try await platform.call("GET", webhook.path + path).status == 404) }
            #expect(try await platform.call("DELETE", webhook.path).status == 404)
            #expect(try await platform.worker().pass(at: Date().addingTimeInterval(1)) == 1)
            #expect(receiver.received.isEmpty)
            #expect(try await platform.outboxRows() == 0)
            #expect(try await platform.audited("deleteWebhook") == 1)
        }
    }
}
