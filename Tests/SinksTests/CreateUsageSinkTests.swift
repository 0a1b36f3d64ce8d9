import Access
import Foundation
import HTTPTypes
import Postgres
import Server
import Sinks
import Tenancy
import TestSupport
import Testing

@Suite("Create usage sink")
struct CreateUsageSinkTests {
    private static let url = "https://openmeter.example.com/api/v1/events"

    @Test("there is one sink, and its creation has an audit event")
    func creates() async throws {
        try await TestPlatform.run { platform in
            let path = TestPlatform.sinkPath
            let created = try await platform.call("POST", path, ["format": "cloudevents", "url": Self.url])
            #expect(created.status == 201, "\(created.body)")
            #expect(created.header("Location") == "/v1/platform/usage-sink")
            #expect(created.json["has_secret"] as? Bool == false)
            let again = try await platform.call("POST", path, ["format": "cloudevents", "url": Self.url])
            #expect(again.status == 409)
            #expect(again.json["code"] as? String == "already_exists")
            #expect(try await platform.auditTrail(of: "createUsageSink").map(\.subject) == [created.resourceID])
        }
    }

    @Test("a tenant's key and a missing scope are refused, and no sink is created")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let (path, body) = (TestPlatform.sinkPath, ["format": "cloudevents", "url": Self.url])
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[0].secret, body).problem == "operator_required")
            #expect(try await platform.call("POST", path, key: narrow, body).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path).status == 404)
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
}
