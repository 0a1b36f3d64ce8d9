import Foundation
import NIOHTTP1
import Server
import Testing
import TestSupport

@Suite("Get platform connection")
struct GetPlatformConnectionTests {
    @Test("operators see the shared connection with the platform's values for Apple's portal")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let shown = try await platform.call("GET", "/platform/connection")
            #expect(shown.status == 200)
            #expect(shown.json["ownership"] as? String == "shared")
            #expect(shown.json["serving"] as? Bool == true)
            #expect(shown.json["team_id"] as? String == platform.shared.team)
            let portal = shown.json["apple_portal"] as? [String: any Sendable]
            #expect(portal?["return_url"] as? String == "https://login.test/auth/apple/callback")
            #expect(portal?["notification_url"] as? String == "https://login.test/auth/apple/notifications")
            #expect(!shown.body.contains("PRIVATE KEY"))
        }
    }

    @Test("a tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/platform/connection"
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
        }
    }
}
