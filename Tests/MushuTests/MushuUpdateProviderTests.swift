import Foundation
import Server
import TestSupport
import Testing

@Suite("Mushu update provider")
struct MushuUpdateProviderTests {
    @Test("the bundle IDs change, and members with their current values are accepted")
    func update() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            let changed = try await client.provider(
                "PUT", "/apple",
                [
                    "enabled": true, "apple_team_id": platform.own.team, "apple_key_id": platform.own.keyID,
                    "apple_bundle_ids": ["com.example.new.app"], "google_client_id": NSNull(),
                ])
            #expect(changed.status == 200, "\(changed.body)")
            #expect(changed.json["apple_bundle_ids"] as? [String] == ["com.example.new.app"])
            let listed = try await platform.call("GET", "/tenants/acme/connections")
            #expect(listed.body.contains(#""bundle_ids":["com.example.new.app"]"#))
        }
    }

    @Test("a change that needs several steps is refused, and nothing changes")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = try await MushuClient.make(platform, [:])
            for (field, value) in [
                ("enabled", false), ("apple_team_id", "NEWTEAM123"), ("apple_key_id", "NEWKEY1234"), ("apple_private_key", "x"),
            ] as [(String, any Sendable)] {
                let answer = try await client.provider("PUT", "/apple", [field: value, "apple_bundle_ids": ["com.example.new.app"]])
                #expect(answer.invalidParts == ["body.\(field): value_error"], "\(answer.status) \(answer.body)")
            }
            #expect(try await client.provider("GET", "/apple").json["apple_bundle_ids"] as? [String] == [])
            #expect(try await MushuClient.make(platform, tenant: 1, [:]).provider("PUT", "/apple", [:]).isRefusal(404))
        }
    }
}
