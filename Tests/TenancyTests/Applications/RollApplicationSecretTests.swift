import Foundation
import Postgres
import Server
import TestSupport
import Testing

@Suite("Roll application secret")
struct RollApplicationSecretTests {
    private struct Listed {
        let id, lastFour: String
        let expires: Date?
    }

    private static func secrets(_ platform: TestPlatform, _ path: String) async throws -> [Listed] {
        let answer = try await platform.call("GET", "\(path)/secrets", key: platform.acme.api_keys[0].secret)
        #expect(answer.status == 200)
        return try #require(answer.json["data"] as? [[String: any Sendable]]).map { secret in
            #expect(secret["object"] as? String == "application_secret")
            #expect(secret["client_secret"] == nil)
            return Listed(
                id: secret["id"] as! String, lastFour: secret["last_four"] as! String,
                expires: try (secret["expires_at"] as? String).map { try Date($0, strategy: .iso8601) })
        }
    }

    @Test("the old secret stays valid for a day or the requested overlap, and a third roll ends the oldest one")
    func overlap() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let first = try #require(try await Self.secrets(platform, path).first)
            #expect((made["client_secret"] as? String)?.suffix(4) == first.lastFour[...])
            #expect(first.expires == nil)

            let rolled = try await platform.call("POST", "\(path)/secrets/roll", key: platform.acme.api_keys[0].secret)
            #expect(rolled.status == 201, "\(rolled.body)")
            #expect(Set(rolled.json.keys) == ["id", "object", "last_four", "client_secret", "created_at", "updated_at"])
            let secret = try #require(rolled.json["client_secret"] as? String)
            #expect(secret != made["client_secret"] as? String)
            let second = try #require(rolled.json["id"] as? String)
            #expect(rolled.location == "/v1\(path)/secrets/\(second)")
            var listed = try await Self.secrets(platform, path)
            #expect(Set(listed.map(\.id)) == [first.id, second])
            #expect(listed.first { $0.id == second }?.expires == nil)
            let end = try #require(listed.first { $0.id == first.id }?.expires)
            #expect(abs(end.timeIntervalSinceNow - 86400) < 60)

            let third = try await platform.call("POST", "\(path)/secrets/roll", ["overlap_seconds": 600])
            listed = try await Self.secrets(platform, path)
            #expect(Set(listed.map(\.id)) == [second, third.json["id"] as! String])
            let sooner = try #require(listed.first { $0.id == second }?.expires)
            #expect(abs(sooner.timeIntervalSinceNow - 600) < 60)

            let fourth = try await platform.call("POST", "\(path)/secrets/roll", ["overlap_seconds": 0])
            #expect(try await Self.secrets(platform, path).map(\.id) == [fourth.json["id"] as! String])

            let trail = try await platform.applicationTrail(made["id"])
            #expect(trail.map(\.action) == ["registerApplication"] + Array(repeating: "rollApplicationSecret", count: 3))
            #expect((trail[1].before?["secrets"] as? [[String: any Sendable]])?.compactMap { $0["id"] as? String } == [first.id])
            #expect((trail[1].after?["secrets"] as? [[String: any Sendable]])?.compactMap { $0["id"] as? String } == [second, first.id])
            let dump = try await platform.ownerPool.run("SELECT string_agg(t::text, ' ') AS dump FROM audit_event t")
            #expect(try !dump[0].get("dump", as: String.self).contains(secret))
        }
    }

    @Test("another roll does not extend the validity of a secret")
    func noMoreTime() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("machine")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            let second = try await platform.call("POST", "\(path)/secrets/roll", ["overlap_seconds": 600])
            #expect(try await platform.call("DELETE", "\(path)/secrets/\(second.json["id"] as! String)").status == 204)
            _ = try await platform.call("POST", "\(path)/secrets/roll", ["overlap_seconds": 2_592_000])
            let ends = try await Self.secrets(platform, path).compactMap(\.expires)
            #expect(ends.count == 1)
            #expect(abs(ends[0].timeIntervalSinceNow - 600) < 60)
        }
    }

    @Test("concurrent rolls leave at most two valid secrets, one of them without an end")
    func racing() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("web")
            let path = "/tenants/acme/applications/\(made["id"] as! String)"
            try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<6 { tasks.addTask { try await platform.call("POST", "\(path)/secrets/roll", [:]).status } }
                for try await status in tasks { #expect(status == 201) }
            }
            let left = try await Self.secrets(platform, path)
            #expect(left.count == 2)
            #expect(left.filter { $0.expires == nil }.count == 1)
        }
    }

    @Test("a public application, an invalid overlap, another tenant's application and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.registered("spa")
            let path = "/tenants/acme/applications/\(made["id"] as! String)/secrets"
            let conflict = try await platform.call("POST", "\(path)/roll", [:])
            #expect(conflict.status == 409)
            #expect(conflict.code == "conflict")
            #expect(try await platform.call("GET", path).json["data"] as? [String] == [])
            let own = "/tenants/acme/applications/\(platform.acme.applications[0].client_id)/secrets/roll"
            for overlap in [-1, 2_592_001, "1", 0.5, true] as [any Sendable] {
                let answer = try await platform.call("POST", own, ["overlap_seconds": overlap])
                #expect(answer.status == 400)
                #expect(answer.refusedFields == ["overlap_seconds"])
            }
            #expect(try await platform.call("POST", own, ["overlap": 0]).refusedFields == ["overlap"])
            for tenant in ["acme", "globex"] {
                let path = "/tenants/\(tenant)/applications/\(platform.acme.applications[0].client_id)/secrets"
                for (method, path) in [("POST", "\(path)/roll"), ("GET", path)] {
                    #expect(try await platform.call(method, path, key: platform.globex.api_keys[0].secret).status == 404)
                }
            }
            #expect(try await platform.call("POST", own, key: platform.acme.api_keys[1].secret).code == "insufficient_scope")
            #expect(try await platform.count("audit_event", where: "action = 'rollApplicationSecret'") == 0)
        }
    }
}
