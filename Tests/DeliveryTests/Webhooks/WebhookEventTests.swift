import Access
import Delivery
import Foundation
import Outbox
import Postgres
import Server
import TestSupport
import Testing

@Suite("Webhook event")
struct WebhookEventTests {
    @Test("an event goes to the enabled endpoints that subscribe to its kind, and without one nothing is written")
    func subscribers() async throws {
        try await withWebhooks { platform, receiver in
            let both = try await platform.webhook(receiver.url, ["user.deleted", "session.revoked"])
            let one = try await platform.webhook(receiver.url, ["session.revoked"])
            let off = try await platform.webhook(receiver.url, ["user.deleted", "session.revoked"])
            let foreign = try await platform.webhook(receiver.url, ["user.deleted", "session.revoked"], tenant: "globex")
            #expect(try await platform.call("PATCH", off.path, ["status": "disabled"]).status == 200)

            try await platform.emit(.userCreated)
            #expect(try await platform.outboxRows() == 0)
            let events = try await platform.ownerPool.run("SELECT FROM webhook_event", prelude: PlatformDatabase.prelude)
            #expect(events.isEmpty)

            try await platform.emit(.userDeleted)
            try await platform.emit(.sessionRevoked, ["session_id": "session_1", "reason": "revoked"])
            #expect(try await platform.outboxRows() == 3)
            try await platform.worker().pass(at: Date().addingTimeInterval(1))
            #expect(receiver.received.count == 3)
            #expect(receiver.received.filter { $0.isSigned(by: both.secret) }.count == 2)
            #expect(receiver.received.filter { $0.isSigned(by: one.secret) }.map { $0.json["type"] as? String } == ["session.revoked"])
            #expect(!receiver.received.contains { $0.isSigned(by: off.secret) || $0.isSigned(by: foreign.secret) })
            // All endpoints receive the same event.
            #expect(Set(receiver.received.map(\.id)).count == 2)
        }
    }

    @Test("an event is written together with its cause, or not at all")
    func transaction() async throws {
        struct Undone: Error {}
        try await withWebhooks { platform, receiver in
            _ = try await platform.webhook(receiver.url)
            let database = OwnerDatabase(platform.pool, tenant: try platform.acmeID)
            await #expect(throws: Undone.self) {
                try await database.transaction { db in
                    _ = try await db.run(
                        try WebhookEvent.emit(.userDeleted, data: ["user_id": "user_1"], owner: database.owner, at: Date()))
                    throw Undone()
                }
            }
            #expect(try await platform.outboxRows() == 0)
        }
    }

    @Test("an endpoint that is being deleted is skipped, so the cause does not fail")
    func deletedMeanwhile() async throws {
        try await withWebhooks { platform, receiver in
            _ = try await platform.webhook(receiver.url)
            let emitting = try await platform.ownerPool.transaction(prelude: PlatformDatabase.prelude) { db in
                _ = try await db.run("DELETE FROM webhook_endpoint")
                let emitting = Task { try await platform.emit() }
                try await platform.waitForLock("the event waits for the deletion")
                return emitting
            }
            try await emitting.value
            #expect(try await platform.outboxRows() == 0)
        }
    }

    @Test("more data than a delivery can contain is an error in Espalier")
    func tooLarge() throws {
        let data = ["user_id": String(repeating: "x", count: 20_000)]
        #expect(throws: WebhookEvent.TooLarge.self) { try WebhookEvent.emit(.userDeleted, data: data, owner: UUID(), at: Date()) }
    }
}
