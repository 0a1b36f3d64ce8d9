import Access
import Delivery
import Foundation
import Outbox
import Server
import TestSupport
import Testing

@Suite("Prune webhooks")
struct PruneWebhooksTests {
    @Test("after 30 days events and their deliveries are deleted, newer ones stay")
    func prunes() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let now = Date()
            for days in [31.0, 30.5, 29.5, 0] { try await platform.emit(at: now.addingTimeInterval(-days * 86400)) }
            let prune = PruneWebhooks(database: PlatformDatabase(platform.pool), logger: quiet, now: { now })
            #expect(try await prune.pass(at: now) == 2)
            #expect(try await prune.pass(at: now) == 0)
            #expect(try await platform.deliveries(webhook).count == 2)
            // The outbox entries of deleted deliveries end without an effect.
            try await platform.worker().pass(at: now.addingTimeInterval(1))
            #expect(receiver.received.count == 2)
            #expect(try await platform.outboxRows() == 0)
        }
    }
}
