import Access
import Delivery
import Foundation
import Outbox
import Postgres
import Server
import TestSupport
import Testing

@Suite("Deliver webhook")
struct DeliverWebhookTests {
    @Test("an event arrives once, signed, with its data")
    func arrives() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let happened = Date()
            try await platform.emit(at: happened)
            #expect(try await platform.worker().pass(at: Date()) == 1)
            #expect(try await platform.worker().pass(at: Date().addingTimeInterval(1_000_000)) == 0)

            #expect(receiver.received.count == 1)
            let request = try #require(receiver.received.first)
            #expect(request.isSigned(by: webhook.secret))
            #expect(!request.isSigned(by: "whsec_" + Data(repeating: 7, count: 32).base64EncodedString()))
            #expect(request.path == "/hook")
            #expect(request.header("content-type") == "application/json")
            #expect(request.header("connection") == "close")
            #expect(request.id.hasPrefix("event_"))
            let timestamp = try #require(TimeInterval(request.timestamp))
            #expect(abs(timestamp - Date().timeIntervalSince1970) < 60)
            #expect(Set(request.json.keys) == ["type", "timestamp", "data"])
            #expect(request.json["type"] as? String == "user.deleted")
            #expect(request.json["timestamp"] as? String == happened.formatted(.iso8601))
            #expect(request.data == ["user_id": "user_1"])

            let delivery = try #require(try await platform.deliveries(webhook).first)
            #expect(delivery["state"] as? String == "succeeded")
            #expect(delivery["attempts"] as? Int == 1)
            #expect(delivery["last_status"] as? Int == 200)
            #expect(delivery["next_at"] == nil)
            #expect((delivery["event"] as? [String: any Sendable])?["id"] as? String == request.id)
            #expect(try await platform.outboxRows() == 0)
        }
    }

    @Test("a refused event is sent ten times by the schedule, with one ID and new times, and then fails")
    func schedule() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            receiver.answer(.status(500))
            try await platform.emit()
            var at = Date()
            for attempt in 1...10 {
                #expect(try await platform.worker().pass(at: at) == 1)
                let delivery = try #require(try await platform.deliveries(webhook).first)
                #expect(delivery["attempts"] as? Int == attempt)
                #expect(delivery["last_status"] as? Int == 500)
                #expect(delivery["state"] as? String == (attempt < 10 ? "pending" : "failed"))
                guard attempt < 10 else {
                    #expect(delivery["next_at"] == nil)
                    break
                }
                let rows = try await platform.ownerPool.run("SELECT due_at FROM outbox", prelude: PlatformDatabase.prelude)
                let next: Date = try #require(try rows.first { try $0.get("due_at", as: Date.self) })
                let wait: TimeInterval = next.timeIntervalSince(at)
                let planned: TimeInterval = DeliverWebhook.schedule[attempt]
                // The duration of the attempt is added.
                let (least, most): (TimeInterval, TimeInterval) = (planned * 0.9, planned * 1.1 + 30)
                #expect(wait >= least && wait <= most, "attempt \(attempt): \(wait)")
                #expect(try await platform.worker().pass(at: at.addingTimeInterval(wait - 1)) == 0)
                at = at.addingTimeInterval(wait + 1)
            }
            #expect(receiver.received.count == 10)
            #expect(Set(receiver.received.map(\.id)).count == 1)
            #expect(Set(receiver.received.map(\.body)).count == 1)
            #expect(Set(receiver.received.map(\.timestamp)).count == 10)
            #expect(receiver.received.allSatisfy { $0.isSigned(by: webhook.secret) })
            #expect(try await platform.outboxRows() == 0)
            #expect(try await platform.call("GET", webhook.path).json["status"] as? String == "enabled")
        }
    }

    @Test("the schedule matches the conventions")
    func conventions() {
        // 0, 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
        let seconds: [TimeInterval] = [0, 5, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400]
        #expect(DeliverWebhook.schedule == seconds)
    }

    @Test("a redirect is a failure and is not followed")
    func redirect() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            receiver.answer(.redirect(to: receiver.url + "/elsewhere"))
            try await platform.emit()
            try await platform.worker().pass(at: Date())
            #expect(receiver.received.map(\.path) == ["/hook"])
            let delivery = try #require(try await platform.deliveries(webhook).first)
            #expect(delivery["last_status"] as? Int == 302)
            #expect(delivery["state"] as? String == "pending")
        }
    }

    @Test("410 disables the endpoint with an audit event, and pending events are not sent")
    func gone() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            receiver.answer(.status(410))
            try await platform.emit()
            try await platform.worker().pass(at: Date())
            let shown = try await platform.call("GET", webhook.path)
            #expect(shown.json["status"] as? String == "disabled")
            #expect(shown.json["disabled_reason"] as? String == "gone")
            #expect(try await platform.audited("deliverWebhook") == 1)
            #expect(try await platform.deliveries(webhook).first?["state"] as? String == "failed")
            #expect(try await platform.outboxRows() == 0)
            // No further delivery is written for it.
            try await platform.emit()
            #expect(try await platform.outboxRows() == 0)
            let enabled = try await platform.call("PATCH", webhook.path, ["status": "enabled"])
            #expect(enabled.json["status"] as? String == "enabled")
            #expect(enabled.json["disabled_reason"] == nil)
        }
    }

    @Test("pending deliveries of a disabled endpoint fail with the reason")
    func disabled() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            try await platform.emit()
            #expect(try await platform.call("PATCH", webhook.path, ["status": "disabled"]).status == 200)
            #expect(try await platform.worker().pass(at: Date()) == 1)
            #expect(receiver.received.isEmpty)
            let delivery = try #require(try await platform.deliveries(webhook).first)
            #expect(delivery["state"] as? String == "failed")
            #expect(delivery["last_error"] as? String == "endpoint_disabled")
            #expect(delivery["attempts"] as? Int == 0)
            #expect(try await platform.outboxRows() == 0)
        }
    }

    @Test("a suspended tenant still receives events, a deleted one does not")
    func tenants() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let tenant = try platform.acmeID
            try await platform.emit()
            _ = try await platform.ownerPool.run(
                "UPDATE tenant SET status = 'suspended' WHERE id = \(tenant)", prelude: PlatformDatabase.prelude)
            try await platform.worker().pass(at: Date())
            #expect(receiver.received.count == 1)
            try await platform.emit()
            _ = try await platform.ownerPool.run(
                """
                UPDATE tenant SET status = 'deleted', status_before_deletion = 'active', purge_after = now() + interval '30 days'
                WHERE id = \(tenant)
                """, prelude: PlatformDatabase.prelude)
            try await platform.worker().pass(at: Date())
            #expect(receiver.received.count == 1)
            #expect(try await platform.deliveries(webhook).first?["last_error"] as? String == "tenant_deleted")
            #expect(try await platform.outboxRows() == 0)
        }
    }

    @Test("an endpoint that closes, is missing, does not respond or responds endlessly fails one attempt")
    func failures() async throws {
        try await withWebhooks { platform, receiver in
            func outcome(_ answer: WebhookReceiver.Answer, url: String? = nil, timeout: Duration = .seconds(60)) async throws -> [String:
                any Sendable]
            {
                receiver.answer(answer)
                let webhook = try await platform.webhook(url ?? receiver.url)
                #expect(try await platform.call("POST", webhook.path + "/test").status == 202)
                #expect(try await platform.worker(timeout: timeout).pass(at: Date()) == 1)
                return try #require(try await platform.deliveries(webhook).first)
            }
            let hungUp = try await withRudeEndpoint { try await outcome(.status(200), url: $0) }
            #expect(hungUp["last_error"] as? String == "connection_failed")
            #expect(hungUp["state"] as? String == "pending")
            #expect(hungUp["last_status"] == nil)
            #expect(try await outcome(.status(200), url: "http://127.0.0.1:1/")["last_error"] as? String == "connection_failed")
            #expect(try await outcome(.status(200), url: "http://nowhere.invalid/")["last_error"] as? String == "name_not_resolved")
            // TLS to a server without TLS.
            let plain = receiver.url.replacing("http:", with: "https:")
            #expect(try await outcome(.status(200), url: plain)["last_error"] as? String == "tls_failed")
            #expect(try await outcome(.held, timeout: .milliseconds(300))["last_error"] as? String == "timed_out")
            #expect(try await outcome(.endless)["state"] as? String == "succeeded")
            // By a name, with any of its addresses.
            let named = receiver.url.replacing("127.0.0.1", with: "localhost")
            #expect(try await outcome(.status(204), url: named)["last_status"] as? Int == 204)
        }
    }

    @Test("the connection uses the address that was looked up, and TLS still checks the name")
    func serverName() async throws {
        try await withWebhooks { platform, _ in
            let hello = try await firstWords { port in
                let webhook = try await platform.webhook("https://localhost:\(port)/")
                #expect(try await platform.call("POST", webhook.path + "/test").status == 202)
                #expect(try await platform.worker().pass(at: Date()) == 1)
                #expect(try await platform.deliveries(webhook).first?["state"] as? String == "pending")
            }
            // A handshake record with a ClientHello that contains the name in plain text (RFC 6066, section 3).
            #expect(hello.first == 22)
            #expect(String(decoding: hello, as: UTF8.self).contains("localhost"))
        }
    }

    @Test("a URL into a private network is refused after resolution, and no request is sent")
    func privateNetworks() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            let port = try #require(URL(string: receiver.url)?.port)
            for url in [
                // Names and spellings of 127.0.0.1.
                "https://localhost:\(port)/", "https://127.0.0.1:\(port)/", "https://127.1:\(port)/", "https://2130706433:\(port)/",
                "https://0x7f.1:\(port)/", "https://[::1]:\(port)/", "https://[::ffff:127.0.0.1]:\(port)/", "https://0.0.0.0:\(port)/",
                "https://10.0.0.1/", "https://169.254.169.254/latest/meta-data", "https://[fd00::1]/", "https://[fe80::1]/",
                // A URL without TLS is permitted only in development.
                receiver.url,
            ] {
                _ = try await platform.ownerPool.run(
                    "UPDATE webhook_endpoint SET url = \(url)", prelude: PlatformDatabase.prelude)
                #expect(try await platform.call("POST", webhook.path + "/test").status == 202)
                #expect(try await platform.worker(allowsPrivate: false).pass(at: Date()) == 1)
                let delivery = try #require(try await platform.deliveries(webhook).first)
                #expect(delivery["last_error"] as? String == "address_refused", "\(url): \(delivery)")
                #expect(delivery["state"] as? String == "pending")
            }
            #expect(receiver.received.isEmpty)
        }
    }

    @Test("after a crash between sending and recording, the same event is sent again with the same ID")
    func crash() async throws {
        try await withWebhooks { platform, receiver in
            let webhook = try await platform.webhook(receiver.url)
            receiver.answer(.held)
            try await platform.emit()
            let now = Date()
            let dying = Task { try await platform.worker().pass(at: now) }
            try await eventually("the event was sent") { receiver.received.count == 1 }
            dying.cancel()
            _ = await dying.result
            #expect(try await platform.deliveries(webhook).first?["state"] as? String == "pending")
            // Its lease protects it for a while.
            #expect(try await platform.worker().pass(at: now.addingTimeInterval(60)) == 0)
            receiver.answer(.status(200))
            #expect(try await platform.worker().pass(at: now.addingTimeInterval(121)) == 1)
            #expect(receiver.received.count == 2)
            #expect(Set(receiver.received.map(\.id)).count == 1)
            let delivery = try #require(try await platform.deliveries(webhook).first)
            #expect(delivery["state"] as? String == "succeeded")
            #expect(delivery["attempts"] as? Int == 2)
        }
    }

    @Test("two workers never send the same delivery at once")
    func twoWorkers() async throws {
        try await withWebhooks { platform, receiver in
            _ = try await platform.webhook(receiver.url)
            for number in 0..<30 { try await platform.emit(.userDeleted, ["user_id": "user_\(number)"]) }
            let now = Date().addingTimeInterval(1)
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<3 { tasks.addTask { try await platform.worker().pass(at: now) } }
                var total = 0
                for try await taken in tasks { total += taken }
                #expect(total == 30)
            }
            #expect(receiver.received.count == 30)
            #expect(Set(receiver.received.map(\.id)).count == 30)
            #expect(try await platform.outboxRows() == 0)
        }
    }

    @Test("the server's own worker delivers soon after the commit")
    func served() async throws {
        try await WebhookReceiver.run { receiver in
            try await TestPlatform.run({ $0.allowsPrivateWebhooks = true }) { platform in
                let webhook = try await platform.webhook(receiver.url)
                try await platform.emit()
                try await eventually("the event has arrived") { receiver.received.count == 1 }
                #expect(receiver.received[0].isSigned(by: webhook.secret))
                try await eventually("the delivery is recorded") {
                    try await platform.deliveries(webhook).first?["state"] as? String == "succeeded"
                }
            }
        }
    }
}
