import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("Check platform connection")
struct CheckPlatformConnectionTests {
    @Test("operators check the shared connection, and a key that was revoked at Apple is found")
    func checked() async throws {
        try await TestPlatform.run { platform in
            let path = "/platform/connection"
            #expect(try await platform.check(path).checkOutcome == "passed")
            try await platform.simulator.revokeKey(platform.shared.keyID)
            let failed = try await platform.check(path)
            #expect(failed.status == 200 && failed.checkOutcome == "failed", "\(failed.body)")
            #expect(try await platform.call("GET", path).checkOutcome == "failed")
        }
    }

    @Test("a tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/connection/check"
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("POST", path, key: narrow).problem == "insufficient_scope")
        }
    }
}
