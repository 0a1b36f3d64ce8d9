import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Create webhook")
struct CreateWebhookTests {
    private static let body: [String: any Sendable] = [
        "url": "https://hooks.example.com/espalier", "events": ["user.deleted", "key.expiring"],
    ]

    @Test("the secret is shown once, in the form of Standard Webhooks, and nowhere else")
    func creates() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call(
                "POST", "/tenants/acme/webhooks", key: platform.acme.api_keys[0].secret, Self.body.merging(["description": "CRM"]) { $1 })
            #expect(answer.status == 201, "\(answer.body)")
            #expect(
                Set(answer.json.keys) == [
                    "id", "object", "url", "description", "events", "format", "status", "created_at", "updated_at", "secret",
                ])
            #expect(answer.json["object"] as? String == "webhook")
            #expect(answer.json["status"] as? String == "enabled")
            #expect(answer.json["events"] as? [String] == ["user.deleted", "key.expiring"])
            let id = try #require(answer.json["id"] as? String)
            #expect(answer.location == "/v1/tenants/acme/webhooks/\(id)")
            let secret = try #require(answer.json["secret"] as? String)
            #expect(secret.hasPrefix("whsec_"))
            #expect(Data(base64Encoded: String(secret.dropFirst(6)))?.count == 32)
            let shown = try await platform.call("GET", "/tenants/acme/webhooks/\(id)")
            #expect(shown.header("ETag") == answer.header("ETag"))
            #expect(shown.json["secret"] == nil)
            #expect(try await platform.audited("createWebhook") == 1)
            let trail = try await platform.ownerPool.run("SELECT after::text AS after FROM audit_event WHERE action = 'createWebhook'")
            let after = try #require(try trail.first { try $0.get("after", as: String.self) })
            #expect(after.contains(id))
            #expect(!after.contains(secret.dropFirst(6)))
        }
    }

    @Test("invalid members are all refused in one response")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for (change, field) in [
                ("url", "http://hooks.example.com/" as any Sendable), ("url", "https://127.0.0.1/"), ("url", "https://localhost/"),
                ("url", 1), ("events", [String]()), ("events", ["user.vanished"]), ("events", ["webhook.test"]),
                ("events", ["user.deleted", "user.deleted"]), ("events", "user.deleted"), ("description", ""), ("colour", "red"),
            ] {
                let answer = try await platform.call("POST", "/tenants/acme/webhooks", Self.body.merging([change: field]) { $1 })
                #expect(answer.status == 400, "\(change): \(answer.body)")
                let fields = (answer.json["errors"] as? [[String: String]])?.compactMap { $0["field"] } ?? []
                #expect(fields.first?.hasPrefix(change) == true, "\(fields)")
            }
            let missing = try await platform.call("POST", "/tenants/acme/webhooks", [:])
            #expect((missing.json["errors"] as? [[String: String]])?.map { $0["field"] } == ["url", "events"])
        }
    }

    @Test("a tenant can have at most 20 webhooks, even with concurrent requests")
    func limit() async throws {
        try await TestPlatform.run { platform in
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<24 {
                    tasks.addTask { try await platform.call("POST", "/tenants/acme/webhooks", Self.body).status }
                }
                var counts: [Int: Int] = [:]
                for try await status in tasks { counts[status, default: 0] += 1 }
                return counts
            }
            #expect(statuses == [201: 20, 409: 4])
            // Other tenants have their own limit.
            #expect(try await platform.call("POST", "/tenants/globex/webhooks", Self.body).status == 201)
        }
    }

    @Test("a key without the scope and another tenant's key are refused")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            for (key, status) in [(platform.acme.api_keys[1].secret, 403), (platform.globex.api_keys[0].secret, 404)] {
                let answer = try await platform.call("POST", "/tenants/acme/webhooks", key: key, Self.body)
                #expect(answer.status == status)
            }
        }
    }
}
