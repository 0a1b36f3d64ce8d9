import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Promote Apple key")
struct PromoteAppleKeyTests {
    private func addKey(_ platform: TestPlatform, _ connection: String) async throws -> (id: String, path: String) {
        let key = try await platform.simulator.makeKey(of: platform.own.team)
        let added = try await platform.change(
            "POST", "\(connection)/apple-keys", of: connection, ["key_id": key.id, "private_key": key.pem])
        #expect(added.status == 201, "\(added.body)")
        return (key.id, "\(connection)/apple-keys/\(added.resourceID)")
    }

    @Test("the new key signs, the old one stays valid for the overlap and can be promoted again")
    func promoted() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let old = try await platform.call("GET", "\(connection)/apple-keys").elements[0]["id"] as? String ?? ""
            let key = try await addKey(platform, connection)
            #expect(try await platform.call("POST", "\(key.path)/promote").status == 428)
            #expect(try await platform.call("POST", "\(key.path)/promote", headers: [("If-Match", "\"x\"")]).status == 412)
            let wrong = try await platform.change("POST", "\(key.path)/promote", of: connection, ["overlap_seconds": 2_592_001])
            #expect(wrong.refusalsByField["overlap_seconds"] != nil)
            let promoted = try await platform.change("POST", "\(key.path)/promote", of: connection, ["overlap_seconds": 600])
            #expect(promoted.status == 200, "\(promoted.body)")
            #expect(promoted.json["state"] as? String == "current")
            let after = try await platform.call("GET", connection)
            #expect(after.version == promoted.version)
            #expect(after.keyStates == ["current \(key.id)", "previous \(platform.own.keyID)"])
            let until = after.appleKeys.first { $0["state"] as? String == "previous" }?["usable_until"] as? String ?? ""
            let left = try #require(try? Date(until, strategy: .iso8601)).timeIntervalSinceNow
            #expect((500...601).contains(left))
            #expect(try await platform.change("POST", "\(key.path)/promote", of: connection).status == 409)
            #expect(try await platform.auditTrail(of: "promoteAppleKey").count == 1)
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))

            // A promotion back without an overlap retires the new key permanently.
            let back = try await platform.change("POST", "\(connection)/apple-keys/\(old)/promote", of: connection, ["overlap_seconds": 0])
            #expect(back.status == 200, "\(back.body)")
            #expect(try await platform.call("GET", connection).keyStates == ["retired \(key.id)", "current \(platform.own.keyID)"])
            let bytes = try await platform.ownerPool.run("SELECT length(sealed_pem) AS n FROM apple_key WHERE state = 'retired'")
                .first { try $0.get("n", as: Int.self) }
            #expect(bytes == 0)
            #expect(try await platform.change("POST", "\(key.path)/promote", of: connection).status == 409)
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
        }
    }

    @Test("a key that Apple refuses since then is not promoted, and one of two concurrent promotions succeeds")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let key = try await addKey(platform, connection)
            let tag = try await platform.call("GET", connection).version
            let statuses = try await withThrowingTaskGroup(of: Int.self) { tasks in
                for _ in 0..<4 {
                    tasks.addTask { try await platform.call("POST", "\(key.path)/promote", headers: [("If-Match", tag)]).status }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1, "\(statuses)")
            #expect(statuses.allSatisfy { [200, 409, 412].contains($0) }, "\(statuses)")

            try await platform.simulator.revokeKey(platform.own.keyID)
            let next = try await addKey(platform, connection)
            try await platform.simulator.revokeKey(next.id)
            let refused = try await platform.change("POST", "\(next.path)/promote", of: connection)
            #expect(refused.status == 422)
            #expect(refused.problem == "apple_refused")
            #expect(
                try await platform.call("GET", connection).keyStates == [
                    "next \(next.id)", "current \(key.id)", "previous \(platform.own.keyID)",
                ])
            #expect(try await platform.change("POST", "\(connection)/apple-keys/applekey_0/promote", of: connection).status == 404)
            let foreign = try await platform.call(
                "POST", "\(next.path)/promote", key: platform.globex.api_keys[0].secret, headers: [("If-Match", tag)])
            #expect(foreign.status == 404)
        }
    }
}
