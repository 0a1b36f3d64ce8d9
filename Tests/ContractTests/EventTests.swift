import Access
import Delivery
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// The content of webhooks is as in the spec.
@Suite("Events")
struct EventTests {
    @Test("the data of every event is as in the spec, and the end of a deleted application's sessions is reported")
    func described() async throws {
        let specification = try Specification()
        try await TestPlatform.run { platform in
            let kinds = WebhookEvent.Kind.allCases.map(\.rawValue)
            let made = try await platform.call(
                "POST", "/tenants/acme/webhooks", ["url": "https://hooks.example.com/", "events": kinds])
            #expect(made.status == 201, "\(made.body)")
            let key = try await platform.call(
                "POST", "/tenants/acme/api-keys",
                ["name": "Short", "scopes": ["tenants:read"], "expires_at": Date(timeIntervalSinceNow: 86400).formatted(.iso8601)])
            #expect(key.status == 201, "\(key.body)")
            try await NotifyExpiringKeys(database: PlatformDatabase(platform.pool)).pass(at: Date())
            func things(_ path: String) async throws -> [[String: any Sendable]] {
                try await platform.call("GET", "/tenants/acme/\(path)").json["data"] as? [[String: any Sendable]] ?? []
            }

            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
            let session = try #require(try await things("sessions").first?["id"] as? String)
            #expect(try await platform.call("POST", "/tenants/acme/sessions/\(session)/revoke").status == 200)
            let own = try #require(try await things("connections").first { $0["ownership"] as? String == "own" }?["id"] as? String)
            try await platform.simulator.fault([
                "endpoint": "token", "client_id": platform.own.servicesID, "fault": "error", "error": "invalid_client", "times": 1,
            ])
            #expect(try await platform.call("POST", "/tenants/acme/connections/\(own)/check").json["outcome"] as? String == "failed")
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
            let application = platform.acme.applications[0].client_id
            #expect(try await platform.call("DELETE", "/tenants/acme/applications/\(application)").status == 204)
            let user = try #require(try await things("users").first?["id"] as? String)
            #expect(try await platform.call("DELETE", "/tenants/acme/users/\(user)").status == 204)

            #expect(try await platform.call("PUT", "/tenants/acme/budget", ["logins": 1, "hard": true]).status == 200)
            try await platform.rollUp()
            let amount: [String: any Sendable] = ["amount_micros": 1, "currency": "USD"]
            #expect(try await platform.call("PUT", "/tenants/acme/budget", amount).status == 200)

            let sent = try await platform.ownerPool.run("SELECT type, data FROM webhook_event ORDER BY id").map { row in
                (type: try row.get("type", as: String.self), data: Data(try row.get("data", as: JSON.self).bytes))
            }
            for event in sent {
                #expect(try specification.violations(data: event.data, of: event.type) == [], "\(event.type)")
            }
            #expect(
                Set(sent.map(\.type)) == [
                    "user.created", "user.deleted", "session.revoked", "connection.failing", "key.expiring", "usage.threshold",
                ])
            #expect(
                sent.contains { $0.type == "usage.threshold" && String(decoding: $0.data, as: UTF8.self).contains("budget_amount_micros") })
            let ended = sent.filter { $0.type == "session.revoked" }.map { String(decoding: $0.data, as: UTF8.self) }
            #expect(ended.count { $0.contains(application) } == 1, "\(ended)")
        }
    }
}
