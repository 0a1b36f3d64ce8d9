import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("List Apple keys")
struct ListAppleKeysTests {
    @Test("a connection's keys are listed in pages, newest first, without private keys")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let path = "\(connection)/apple-keys"
            let key = try await platform.simulator.makeKey(of: platform.own.team)
            let body = ["key_id": key.id, "private_key": key.pem]
            #expect(try await platform.change("POST", path, of: connection, body).status == 201)
            let first = try await platform.call("GET", path + "?limit=1", key: platform.acme.api_keys[0].secret)
            #expect(first.elements.map { $0["key_id"] as? String } == [key.id])
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", path + "?limit=1&after=\(after)")
            #expect(second.elements.map { $0["key_id"] as? String } == [platform.own.keyID])
            #expect(second.elements.map { $0["state"] as? String } == ["current"])
            #expect(!first.body.contains("PRIVATE KEY") && !second.body.contains("PRIVATE KEY"))
        }
    }

    @Test("another tenant's key, a missing scope, an unknown connection and an unknown parameter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let id = connection.split(separator: "/").last ?? ""
            let path = "\(connection)/apple-keys"
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).status == 404)
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
            #expect(try await platform.call("GET", "/tenants/globex/connections/\(id)/apple-keys").problem == "not_found")
            #expect(try await platform.call("GET", "/tenants/acme/connections/connection_0/apple-keys").problem == "not_found")
            #expect(try await platform.call("GET", path + "?state=current").status == 400)
        }
    }
}
