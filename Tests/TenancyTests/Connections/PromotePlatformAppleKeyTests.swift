import Foundation
import NIOHTTP1
import Postgres
import Server
import TestSupport
import Testing

@Suite("Promote platform Apple key")
struct PromotePlatformAppleKeyTests {
    private let path = "/platform/connection"

    @Test("operators see, change and check the shared connection like a tenant its own, and rotate its key")
    func shared() async throws {
        try await TestPlatform.run { platform in
            let shown = try await platform.call("GET", path)
            #expect(shown.status == 200)
            #expect(shown.json["ownership"] as? String == "shared")
            #expect(shown.json["serving"] as? Bool == true)
            let portal = shown.json["apple_portal"] as? [String: any Sendable]
            #expect(portal?["return_url"] as? String == "https://login.test/auth/apple/callback")
            #expect(portal?["notification_url"] as? String == "https://login.test/auth/apple/notifications")
            #expect(try await platform.check(path).checkOutcome == "passed")
            #expect(try await platform.change("PATCH", path, of: path, ["email_sources": ["example.com"]]).status == 200)
            #expect(try await platform.call("PATCH", path, ["email_sources": ["example.com"]]).status == 428)

            let key = try await platform.simulator.makeKey(of: platform.shared.team)
            let added = try await platform.change("POST", "\(path)/apple-keys", of: path, ["key_id": key.id, "private_key": key.pem])
            #expect(added.status == 201)
            let promoted = try await platform.change("POST", "\(path)/apple-keys/\(added.resourceID)/promote", of: path)
            #expect(promoted.status == 200)
            _ = try await TestBrowser(platform).tokens(.init(platform.globex))
            let keys = try await platform.call("GET", "\(path)/apple-keys")
            #expect(keys.elements.map { $0["state"] as? String } == ["current", "previous"])
            let refused = try await platform.change("POST", "\(path)/apple-keys/\(added.resourceID)/retire", of: path)
            #expect(refused.status == 409)
            let old = keys.elements[1]["id"] as? String ?? ""
            #expect(try await platform.change("POST", "\(path)/apple-keys/\(old)/retire", of: path).status == 200)
            for action in ["updatePlatformConnection", "addPlatformAppleKey", "promotePlatformAppleKey", "retirePlatformAppleKey"] {
                #expect(try await platform.auditTrail(of: action).count == 1, "\(action)")
            }
        }
    }

    @Test("a tenant's key, a missing scope and an unknown key are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let unknown = "/platform/connection/apple-keys/applekey_00000000000000000000000000/promote"
            #expect(try await platform.call("POST", unknown, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("POST", unknown, key: narrow).problem == "insufficient_scope")
            let missing = try await platform.change("POST", unknown, of: "/platform/connection")
            #expect(missing.problem == "not_found")
        }
    }
}
