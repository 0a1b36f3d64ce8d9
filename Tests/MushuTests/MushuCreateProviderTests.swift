import Crypto
import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu create provider")
struct MushuCreateProviderTests {
    private func body(_ changes: [String: any Sendable] = [:]) -> [String: any Sendable] {
        [
            "provider_type": "apple", "enabled": false, "apple_team_id": "NEWTEAM123", "apple_key_id": "NEWKEY1234",
            "apple_services_id": "com.example.new", "apple_bundle_ids": ["com.example.new.app"],
            "apple_private_key": P256.Signing.PrivateKey().pemRepresentation,
        ].merging(changes) { $1 }
    }

    @Test("a tenant without a connection gets one that does not serve yet, and only one")
    func create() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, tenant: 1, [:])
            #expect(try await platform.call("PATCH", "/tenants/globex", ["plan": "enterprise"]).status == 200)
            let created = try await client.provider("POST", "", body())
            #expect(created.status == 200, "\(created.body)")
            #expect(created.json["enabled"] as? Bool == false)
            // Apple does not know the key.
            #expect(created.json["is_configured"] as? Bool == false)
            #expect(created.string("apple_team_id") == "NEWTEAM123")
            #expect(created.json["apple_bundle_ids"] as? [String] == ["com.example.new.app"])
            #expect(!created.body.contains("PRIVATE"))
            #expect(try await client.provider("POST", "", body()).isRefusal(409))
            #expect(try await platform.auditTrail(of: "mushuCreateProvider").count == 1)
        }
    }

    @Test("what a connection cannot be is refused by its name in Mushu, and so is a plan without own credentials")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, tenant: 1, [:])
            let plan = try await client.provider("POST", "", body())
            #expect(plan.isRefusal(403), "\(plan.body)")
            #expect(try await platform.call("PATCH", "/tenants/globex", ["plan": "enterprise"]).status == 200)
            for (field, value) in [
                ("provider_type", "google"), ("enabled", true), ("apple_team_id", "x"), ("apple_services_id", "x y"),
                ("apple_private_key", "x"), ("apple_bundle_ids", ["x"]),
            ] as [(String, any Sendable)] {
                let answer = try await client.provider("POST", "", body([field: value]))
                #expect(answer.invalidParts.contains { $0.hasPrefix("body.\(field)") }, "\(field): \(answer.status) \(answer.body)")
            }
            #expect(try await client.provider("GET", "").body == #"{"providers":[]}"#)
        }
    }

    @Test("a refusal with an Idempotency-Key has Mushu's form, and so has its repetition")
    func repeated() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, tenant: 1, [:])
            #expect(try await platform.call("PATCH", "/tenants/globex", ["plan": "enterprise"]).status == 200)
            let text = String(decoding: try JSONSerialization.data(withJSONObject: body(["provider_type": "google"])), as: UTF8.self)
            let answers = [
                try await client.provider("POST", "", text, idempotencyKey: "one"),
                try await client.provider("POST", "", text, idempotencyKey: "one"),
            ]
            #expect(answers.allSatisfy { $0.status == 422 && $0.invalidParts.contains { $0.hasPrefix("body.provider_type") } })
            #expect(answers[0].body == answers[1].body && answers[1].header("Idempotent-Replayed") == "true", "\(answers[1].body)")
        }
    }
}
