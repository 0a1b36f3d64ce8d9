import Foundation
import Outbox
import Server
import TestSupport
import Testing

@Suite("Roll webhook secret")
struct RollWebhookSecretTests {
    @Test("during the overlap both secrets sign, afterwards only the new one")
    func overlap() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let rolled = try await platform.call("POST", webhook.path + "/secrets/roll", ["overlap_seconds": 3600])
            #expect(rolled.status == 201, "\(rolled.body)")
            #expect(Set(rolled.json.keys) == ["id", "object", "secret", "created_at", "updated_at"])
            let new = try #require(rolled.json["secret"] as? String)
            #expect(new != webhook.secret)
            try await platform.emit()
            try await platform.worker().pass(at: Date())
            let during = try #require(receiver.received.last)
            #expect(during.isSigned(by: new) && during.isSigned(by: webhook.secret))
            #expect(during.header("webhook-signature").split(separator: " ").count == 2)
            try await platform.emit()
            try await platform.worker().pass(at: Date().addingTimeInterval(3700))
            let after = try #require(receiver.received.last)
            #expect(after.isSigned(by: new) && !after.isSigned(by: webhook.secret))
            #expect(try await platform.audited("rollWebhookSecret") == 1)
        }
    }

    @Test("without an overlap the old secret ends at once, and without a body the overlap is a day")
    func atOnce() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let first = try await platform.call("POST", webhook.path + "/secrets/roll", ["overlap_seconds": 0])
            try await platform.emit()
            try await platform.worker().pass(at: Date())
            let request = try #require(receiver.received.last)
            let new = try #require(first.json["secret"] as? String)
            #expect(request.isSigned(by: new))
            #expect(!request.isSigned(by: webhook.secret))
            #expect(try await platform.call("POST", webhook.path + "/secrets/roll").status == 201)
            try await platform.emit()
            try await platform.worker().pass(at: Date().addingTimeInterval(86_300))
            #expect(receiver.received.last?.header("webhook-signature").split(separator: " ").count == 2)
        }
    }

    @Test("at most five secrets are valid, and an invalid overlap, another tenant and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let webhook = try await platform.webhook(unusedURL)
            for _ in 0..<4 { #expect(try await platform.call("POST", webhook.path + "/secrets/roll").status == 201) }
            #expect(try await platform.call("POST", webhook.path + "/secrets/roll").status == 409)
            #expect(try await platform.call("POST", webhook.path + "/secrets/roll", ["overlap_seconds": 0]).status == 201)
            for overlap in [-1, 2_592_001] {
                #expect(try await platform.call("POST", webhook.path + "/secrets/roll", ["overlap_seconds": overlap]).status == 400)
            }
            #expect(try await platform.call("POST", "/tenants/globex/webhooks/\(webhook.id)/secrets/roll").status == 404)
            #expect(
                try await platform.call("POST", webhook.path + "/secrets/roll", key: platform.acme.api_keys[1].secret).status == 403)
        }
    }
}
