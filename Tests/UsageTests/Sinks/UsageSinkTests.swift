import Access
import Foundation
import HTTPTypes
import Postgres
import Server
import Sinks
import Tenancy
import TestSupport
import Testing

@Suite("Usage sink")
struct UsageSinkTests {
    private static let url = "https://openmeter.example.com/api/v1/events"

    @Test("there is one sink, which is changed under its version and deleted, each with an audit event")
    func life() async throws {
        try await TestPlatform.run { platform in
            let path = TestPlatform.sinkPath
            #expect(try await platform.call("GET", path).status == 404)
            let created = try await platform.call("POST", path, ["format": "cloudevents", "url": Self.url])
            #expect(created.status == 201, "\(created.body)")
            #expect(created.header("Location") == "/v1/platform/usage-sink")
            #expect(created.json["has_secret"] as? Bool == false)
            let shown = try await platform.call("GET", path)
            #expect(shown.json as NSDictionary == created.json as NSDictionary)
            #expect(shown.header("ETag") == created.header("ETag"))
            let again = try await platform.call("POST", path, ["format": "cloudevents", "url": Self.url])
            #expect(again.status == 409)
            #expect(again.json["code"] as? String == "already_exists")

            let changed = try await platform.call(
                "PATCH", path, ["secret": TestPlatform.sinkSecret, "url": Self.url + "/2"],
                headers: [("If-Match", created.header("ETag") ?? "")])
            #expect(changed.status == 200, "\(changed.body)")
            #expect(changed.json["has_secret"] as? Bool == true)
            #expect(changed.json["url"] as? String == Self.url + "/2")
            let stale = try await platform.call("PATCH", path, ["status": "paused"], headers: [("If-Match", created.header("ETag") ?? "")])
            #expect(stale.status == 412)
            let without = try await platform.call("PATCH", path, ["secret": NSNull()])
            #expect(without.json["has_secret"] as? Bool == false, "\(without.body)")
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", "\"stale\"")]).status == 412)
            #expect(try await platform.call("DELETE", path).status == 204)
            #expect(try await platform.call("DELETE", path).status == 404)
            #expect(try await platform.call("PATCH", path, ["status": "paused"]).status == 404)
            #expect(try await platform.call("POST", path + "/retry").status == 404)
            let actions = try await platform.ownerPool.run(
                "SELECT action FROM audit_event WHERE tenant_id = \(UUID.platform) AND subject LIKE 'usagesink%' ORDER BY sequence"
            ).map { try $0.get("action", as: String.self) }
            #expect(actions == ["createUsageSink", "updateUsageSink", "updateUsageSink", "deleteUsageSink"])
        }
    }

    @Test("the secret is never part of a response")
    func secret() async throws {
        try await withMeter(isStripe: true) { platform, meter in
            let path = TestPlatform.sinkPath
            let body: [String: any Sendable] = [
                "format": "stripe", "url": meter.url, "secret": TestPlatform.sinkSecret,
                "event_name": "logins",
            ]
            let created = try await platform.call("POST", path, body)
            #expect(created.status == 201, "\(created.body)")
            for answer in [created, try await platform.call("GET", path), try await platform.call("PATCH", path, ["event_name": "logins"])]
            {
                #expect(!answer.body.contains("hush"))
            }
            let trail = try await platform.call("GET", "/platform/audit-events")
            #expect(trail.body.contains("createUsageSink"))
            #expect(!trail.body.contains("hush"))
            let stored = try #require(
                try await platform.ownerPool.run("SELECT sealed_secret FROM usage_sink").first {
                    try $0.get("sealed_secret", as: [UInt8].self)
                })
            #expect(!String(decoding: stored, as: UTF8.self).contains("hush"))
        }
    }

    @Test("a missing or unsupported member of a format is refused with its name")
    func refusals() async throws {
        try await TestPlatform.run { platform in
            let path = TestPlatform.sinkPath
            func refused(_ method: String, _ body: [String: any Sendable]) async throws -> [String] {
                let answer = try await platform.call(method, path, body)
                #expect(answer.status == 400, "\(body): \(answer.body)")
                return (answer.json["errors"] as? [[String: String]] ?? []).compactMap { $0["field"] }
            }
            #expect(try await refused("POST", [:]) == ["format", "url"])
            #expect(try await refused("POST", ["format": "csv", "url": Self.url]) == ["format"])
            #expect(try await refused("POST", ["format": "stripe", "url": Self.url]) == ["secret", "event_name", "url"])
            #expect(try await refused("POST", ["format": "cloudevents", "url": Self.url, "event_name": "x"]) == ["event_name"])
            #expect(try await refused("POST", ["format": "cloudevents", "url": "http://127.0.0.1/"]) == ["url"])
            #expect(try await refused("POST", ["format": "cloudevents", "url": Self.url, "secret": "a b"]) == ["secret"])
            #expect(try await refused("POST", ["format": "cloudevents", "url": Self.url, "secret": "ä"]) == ["secret"])
            #expect(try await platform.call("POST", path, ["format": "cloudevents", "url": Self.url]).status == 201)
            #expect(try await platform.call("PATCH", path, ["event_name": "x"]).status == 409)
            #expect(try await refused("PATCH", ["url": NSNull()]) == ["url"])
            #expect(try await refused("PATCH", ["format": "stripe"]) == ["format"])
            #expect(try await platform.call("DELETE", path).status == 204)
            let stripe: [String: any Sendable] = ["format": "stripe", "url": Self.url, "secret": "sk", "event_name": "logins"]
            // Customers and meters are read from the same server.
            let field = try await refused("POST", stripe)
            #expect(field == ["url"])
        }
    }

    @Test("for a sink to Stripe the meter must exist and sum the value, at creation and at a change")
    func meter() async throws {
        try await withMeter(isStripe: true) { platform, meter in
            let path = TestPlatform.sinkPath
            var body: [String: any Sendable] = ["format": "stripe", "url": meter.url, "secret": TestPlatform.sinkSecret]
            func refused(_ method: String, _ body: [String: any Sendable], _ status: Int = 400) async throws -> String {
                let answer = try await platform.call(method, path, body)
                #expect(answer.status == status, "\(body): \(answer.body)")
                #expect(!answer.body.contains("hush"))
                return (answer.json["errors"] as? [[String: String]])?.first?["field"] ?? ""
            }
            body["event_name"] = "logns"
            #expect(try await refused("POST", body) == "event_name")
            body["event_name"] = "other"
            #expect(try await refused("POST", body) == "event_name")
            body["event_name"] = "logins"
            meter.stripe?.answersReads(.forbidden)
            _ = try await refused("POST", body, 409)
            #expect(try await platform.call("GET", path).status == 404)
            // The result is unknown then. The comparison asks again.
            meter.stripe?.answersReads(.serviceUnavailable)
            #expect(try await platform.call("POST", path, body).status == 201)

            meter.stripe?.answersReads(.ok)
            #expect(try await refused("PATCH", ["event_name": "logns"]) == "event_name")
            #expect(try await refused("PATCH", ["url": meter.url + "/"]) == "url")
            #expect(try await platform.call("PATCH", path, ["secret": NSNull()]).status == 409)
            meter.stripe?.answersReads(.unauthorized)
            _ = try await refused("PATCH", ["secret": "sk_hush"], 409)
            #expect(try await platform.call("PATCH", path, ["status": "paused"]).status == 200)
            #expect(try await platform.call("PUT", "/tenants/acme/usage-sink-customer", [:]).status == 400)
        }
    }

    @Test("a new sink does not count or list events of the deleted one")
    func deleted() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(TestPlatform.recent(3))
            try await platform.takeArrivals()
            // One event was set aside.
            _ = try await platform.ownerPool.run([
                """
                UPDATE usage_sink_event SET refused_at = now(), refused_status = 400
                WHERE id = (SELECT min(id::text)::uuid FROM usage_sink_event)
                """,
                "UPDATE usage_sink_batch SET events = events - 1",
            ])
            #expect(try await platform.waiting() == 2)
            #expect(try await platform.setAside() == [1, 0])
            #expect(try await platform.call("DELETE", TestPlatform.sinkPath).status == 204)
            try await platform.sink(to: meter)
            let waiting = try await platform.shownSink()["waiting"] as? [String: any Sendable]
            #expect(waiting?["events"] as? Int == 0 && waiting?["since"] == nil, "\(waiting ?? [:])")
            #expect(try await platform.setAside() == [0, 0])
            let events = try await platform.call("GET", TestPlatform.sinkPath + "/events")
            #expect((events.json["data"] as? [Any])?.isEmpty == true, "\(events.body)")
        }
    }
}
