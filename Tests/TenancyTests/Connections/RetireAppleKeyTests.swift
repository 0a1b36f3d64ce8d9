import Foundation
import NIOHTTP1
import Postgres
import Server
import Testing
import TestSupport

@Suite("Retire Apple key")
struct RetireAppleKeyTests {
    @Test("a key is retired permanently, but not the one in use, and its Key ID can be added again")
    func retired() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let current = try await platform.call("GET", "\(connection)/apple-keys").elements[0]["id"] as? String ?? ""
            let refused = try await platform.change("POST", "\(connection)/apple-keys/\(current)/retire", of: connection)
            #expect(refused.status == 409)
            #expect(refused.problem == "conflict")

            let made = try await platform.simulator.makeKey(of: platform.own.team)
            let body: [String: any Sendable] = ["key_id": made.id, "private_key": made.pem]
            let added = try await platform.change("POST", "\(connection)/apple-keys", of: connection, body)
            let path = "\(connection)/apple-keys/\(added.resourceID)/retire"
            #expect(try await platform.call("POST", path).status == 428)
            let retired = try await platform.change("POST", path, of: connection)
            #expect(retired.status == 200)
            #expect(retired.json["state"] as? String == "retired")
            #expect(try await platform.auditTrail(of: "retireAppleKey").map(\.subject) == [added.resourceID])
            let again = try await platform.change("POST", path, of: connection)
            #expect(again.status == 200)
            #expect(again.version == retired.version)
            #expect(try await platform.change("POST", "\(connection)/apple-keys", of: connection, body).status == 201)

            // This connection is not in use.
            let apple = try await AppleTeam.make(platform)
            let spare = try await platform.call("POST", "/tenants/acme/connections", apple.body())
            let own = "/tenants/acme/connections/\(spare.resourceID)"
            #expect(
                try await platform.change("POST", "\(own)/apple-keys/\(spare.appleKeys[0]["id"] ?? "")/retire", of: own).status == 200)
        }
    }

    @Test("another tenant's key, a missing scope and an unknown key are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let connection = try await platform.acmeConnection
            let current = try await platform.call("GET", "\(connection)/apple-keys").elements[0]["id"] as? String ?? ""
            let path = "\(connection)/apple-keys/\(current)/retire"
            #expect(try await platform.call("POST", path, key: platform.globex.api_keys[0].secret).status == 404)
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
            let unknown = "\(connection)/apple-keys/applekey_00000000000000000000000000/retire"
            #expect(try await platform.change("POST", unknown, of: connection).problem == "not_found")
            #expect(try await platform.auditTrail(of: "retireAppleKey").isEmpty)
        }
    }
}
