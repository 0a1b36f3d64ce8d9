import Foundation
import NIOHTTP1
import Postgres
import Server
import Testing
import TestSupport

@Suite("Retire platform Apple key")
struct RetirePlatformAppleKeyTests {
    private let path = "/platform/connection"

    @Test("a key that is not in use is retired permanently, with an audit event, and the one in use is not")
    func retired() async throws {
        try await TestPlatform.run { platform in
            let key = try await platform.simulator.makeKey(of: platform.shared.team)
            let body = ["key_id": key.id, "private_key": key.pem]
            let added = try await platform.change("POST", "\(path)/apple-keys", of: path, body)
            let current = try #require(
                try await platform.call("GET", path).appleKeys.first { $0["state"] as? String == "current" }?["id"] as? String)
            #expect(try await platform.change("POST", "\(path)/apple-keys/\(current)/retire", of: path).status == 409)
            let retire = "\(path)/apple-keys/\(added.resourceID)/retire"
            #expect(try await platform.call("POST", retire).status == 428)
            let retired = try await platform.change("POST", retire, of: path)
            #expect(retired.status == 200 && retired.json["state"] as? String == "retired")
            let bytes = try await platform.ownerPool.run("SELECT length(sealed_pem) AS n FROM apple_key WHERE state = 'retired'")
                .first { try $0.get("n", as: Int.self) }
            #expect(bytes == 0)
            #expect(try await platform.auditTrail(of: "retirePlatformAppleKey").map(\.subject) == [added.resourceID])
        }
    }

    @Test("a tenant's key, a missing scope and an unknown key are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let unknown = "\(path)/apple-keys/applekey_00000000000000000000000000/retire"
            #expect(try await platform.call("POST", unknown, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("POST", unknown, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.change("POST", unknown, of: path).problem == "not_found")
        }
    }
}
