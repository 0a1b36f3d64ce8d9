import Foundation
import NIOHTTP1
import Postgres
import Server
import Testing
import TestSupport

@Suite("Add platform Apple key")
struct AddPlatformAppleKeyTests {
    private let path = "/platform/connection"

    @Test("a key that Apple accepts becomes the next one, with an audit event, and the key is never shown")
    func added() async throws {
        try await TestPlatform.run { platform in
            let key = try await platform.simulator.makeKey(of: platform.shared.team)
            let body = ["key_id": key.id, "private_key": key.pem]
            #expect(try await platform.call("POST", "\(path)/apple-keys", body).status == 428)
            let added = try await platform.change("POST", "\(path)/apple-keys", of: path, body)
            #expect(added.status == 201, "\(added.body)")
            #expect(added.json["state"] as? String == "next")
            #expect(try await platform.call("GET", path).keyStates == ["next \(key.id)", "current \(platform.shared.keyID)"])
            let trail = try await platform.auditTrail(of: "addPlatformAppleKey")
            #expect(trail.count == 1 && !trail[0].text.contains("PRIVATE KEY") && !added.body.contains("PRIVATE KEY"))
            let second = try await platform.change("POST", "\(path)/apple-keys", of: path, body)
            #expect(second.problem == "already_exists")
        }
    }

    @Test("a key that Apple refuses, a tenant's key and a missing scope are refused, and nothing is stored")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let key = try await platform.simulator.makeKey(of: platform.shared.team)
            let (keys, body) = ("\(path)/apple-keys", ["key_id": key.id, "private_key": key.pem])
            #expect(try await platform.call("POST", keys, key: platform.acme.api_keys[0].secret, body).problem == "operator_required")
            #expect(try await platform.call("POST", keys, key: narrow, body).problem == "insufficient_scope")
            try await platform.simulator.revokeKey(key.id)
            #expect(try await platform.change("POST", keys, of: path, body).problem == "apple_refused")
            #expect(try await platform.call("GET", path).keyStates == ["current \(platform.shared.keyID)"])
        }
    }
}
