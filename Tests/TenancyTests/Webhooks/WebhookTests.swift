import Foundation
import Outbox
import Server
import Tenancy
import TestSupport
import Testing

private let url = "https://hooks.example.com/espalier"

@Suite("List webhooks")
struct ListWebhooksTests {
    @Test("the list has pages, newest first, of this tenant only")
    func pages() async throws {
        try await TestPlatform.run { platform in
            var ids: [String] = []
            for _ in 0..<3 { ids.insert(try await platform.webhook(url).id, at: 0) }
            _ = try await platform.webhook(url, tenant: "globex")
            let first = try await platform.call("GET", "/tenants/acme/webhooks?limit=2")
            let data = try #require(first.json["data"] as? [[String: any Sendable]])
            #expect(data.map { $0["id"] as? String } == Array(ids.prefix(2)))
            #expect(data.allSatisfy { $0["secret"] == nil })
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", "/tenants/acme/webhooks?limit=2&after=\(after)")
            #expect((second.json["data"] as? [[String: any Sendable]])?.map { $0["id"] as? String } == [ids[2]])
            #expect(try await platform.call("GET", "/tenants/acme/webhooks?colour=red").status == 400)
        }
    }
}

@Suite("Update webhook")
struct UpdateWebhookTests {
    @Test("sent members change, absent ones stay, and null removes a description")
    func changes() async throws {
        try await TestPlatform.run { platform in
            let webhook = try await platform.webhook(url)
            let described = try await platform.call(
                "PATCH", webhook.path, ["description": "CRM", "events": ["session.revoked"], "url": "https://other.example.com/"])
            #expect(described.status == 200, "\(described.body)")
            #expect(described.json["url"] as? String == "https://other.example.com/")
            #expect(described.json["events"] as? [String] == ["session.revoked"])
            let kept = try await platform.call("PATCH", webhook.path, ["status": "disabled"])
            #expect(kept.json["description"] as? String == "CRM")
            #expect(kept.json["status"] as? String == "disabled")
            #expect(kept.header("ETag") != described.header("ETag"))
            let removed = try await platform.call("PATCH", webhook.path, ["description": NSNull()])
            #expect(removed.status == 200)
            #expect(removed.json["description"] == nil)
            #expect(try await platform.audited("updateWebhook") == 3)
        }
    }

    @Test("invalid changes, an outdated version and another tenant are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let webhook = try await platform.webhook(url)
            for body: [String: any Sendable] in [
                ["url": NSNull()], ["events": NSNull()], ["status": NSNull()], ["url": "http://a.example/"], ["status": "gone"],
                ["events": [String]()], ["secret": "whsec_x"],
            ] {
                #expect(try await platform.call("PATCH", webhook.path, body).status == 400, "\(body)")
            }
            let old = try #require(try await platform.call("GET", webhook.path).header("ETag"))
            #expect(try await platform.call("PATCH", webhook.path, ["status": "disabled"], headers: [("If-Match", old)]).status == 200)
            #expect(try await platform.call("PATCH", webhook.path, ["status": "enabled"], headers: [("If-Match", old)]).status == 412)
            #expect(try await platform.call("PATCH", "/tenants/globex/webhooks/\(webhook.id)", ["status": "enabled"]).status == 404)
            #expect(
                try await platform.call("PATCH", webhook.path, key: platform.acme.api_keys[1].secret, ["status": "enabled"]).status == 403)
            #expect(try await platform.audited("updateWebhook") == 1)
        }
    }
}

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
            let webhook = try await platform.webhook(url)
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
            let id = try #require(try await platform.deliveries(webhook).first?["id"] as? String)
            let shown = try await platform.call("GET", webhook.path + "/deliveries/\(id)")
            #expect(shown.status == 200)
            #expect(shown.header("ETag") != nil)
            #expect(try await platform.call("GET", other.path + "/deliveries/\(id)").status == 404)
            #expect(try await platform.call("GET", "/tenants/globex/webhooks/\(webhook.id)/deliveries/\(id)").status == 404)
            #expect(
                try await platform.call("GET", webhook.path + "/deliveries/\(id)", key: platform.acme.api_keys[1].secret).status == 403)
        }
    }
}

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
