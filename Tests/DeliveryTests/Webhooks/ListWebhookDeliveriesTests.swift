import Foundation
import Outbox
import Server
import TestSupport
import Testing

@Suite("List webhook deliveries")
struct ListWebhookDeliveriesTests {
    @Test("the list has pages, filters by state, and covers this endpoint only")
    func pages() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let other = try await platform.webhook(receiver.url, ["user.created"])
            for _ in 0..<3 { try await platform.emit() }
            try await platform.worker().pass(at: Date().addingTimeInterval(1))
            try await platform.emit()
            #expect(try await platform.deliveries(webhook).count == 4)
            #expect(try await platform.deliveries(webhook, "?state=pending").count == 1)
            #expect(try await platform.deliveries(webhook, "?state=succeeded&limit=2").count == 2)
            #expect(try await platform.deliveries(other).isEmpty)
            for (path, status) in [
                (webhook.path + "/deliveries?state=lost", 400), ("/tenants/globex/webhooks/\(webhook.id)/deliveries", 404),
                ("/tenants/acme/webhooks/webhook_x/deliveries", 404),
            ] {
                #expect(try await platform.call("GET", path).status == status)
            }
        }
    }
}
