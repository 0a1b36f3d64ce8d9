import Access
import Delivery
import Foundation
import Outbox
import Postgres
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

    @Test("the rows of terminals that no longer listen are deleted, those of open connections stay")
    func listeners() async throws {
        try await TestPlatform.run { platform in
            let now = Date()
            for (tenant, seconds) in [(platform.acme, -1.0), (platform.globex, -3600), (platform.acme, 40)] {
                let (owner, end) = (try #require(ID<Tenant>(tenant.id)), now.addingTimeInterval(seconds))
                _ = try await platform.ownerPool.run(
                    """
                    INSERT INTO webhook_listener (tenant_id, id, actor, created_at, expires_at)
                    VALUES (\(owner), \(UUID()), 'system', \(now), \(end))
                    """)
            }
            try await PruneWebhooks(database: PlatformDatabase(platform.pool), logger: quiet, now: { now }).forgetListeners(at: now)
            #expect(try await platform.count("webhook_listener") == 1)
            #expect(try await platform.count("webhook_listener", where: "expires_at > now()") == 1)
        }
    }
}
