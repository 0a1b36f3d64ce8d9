import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("List platform Apple keys")
struct ListPlatformAppleKeysTests {
    @Test("operators list the shared connection's keys in pages, without private keys")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let path = "/platform/connection/apple-keys"
            let key = try await platform.simulator.makeKey(of: platform.shared.team)
            let body = ["key_id": key.id, "private_key": key.pem]
            #expect(try await platform.change("POST", path, of: "/platform/connection", body).status == 201)
            let all = try await platform.call("GET", path)
            #expect(all.elements.map { $0["key_id"] as? String } == [key.id, platform.shared.keyID])
            #expect(all.elements.map { $0["state"] as? String } == ["next", "current"])
            #expect(!all.body.contains("PRIVATE KEY"))
            let first = try await platform.call("GET", path + "?limit=1")
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", path + "?limit=1&after=\(after)")
            #expect((first.elements + second.elements).map { $0["key_id"] as? String } == [key.id, platform.shared.keyID])
        }
    }

    @Test("a tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/connection/apple-keys"
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path + "?state=next").status == 400)
        }
    }
}
