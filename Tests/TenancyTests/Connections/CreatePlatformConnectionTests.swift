import Foundation
import NIOHTTP1
import Postgres
import Server
import Testing
import TestSupport

@Suite("Create platform connection")
struct CreatePlatformConnectionTests {
    private let path = "/platform/connection"

    @Test("a created connection is checked, used by tenants without their own, and in the audit trail")
    func created() async throws {
        try await TestPlatform.run { platform in
            _ = try await platform.ownerPool.run([
                "DELETE FROM apple_key WHERE key_id = \(platform.shared.keyID)",
                "DELETE FROM connection WHERE team_id = \(platform.shared.team)",
            ])
            let apple = try await AppleTeam.make(platform)
            let made = try await platform.call("POST", path, apple.body())
            #expect(made.status == 201, "\(made.body)")
            #expect(made.checkOutcome == "passed" && made.json["ownership"] as? String == "shared")
            #expect(!made.body.contains("PRIVATE KEY"))
            try await eventually("sign-ins use it") {
                try await TestBrowser(platform).authorize(.init(platform.globex))["client_id"] == apple.servicesID
            }
            let trail = try await platform.auditTrail(of: "createPlatformConnection")
            #expect(trail.map(\.subject) == [made.resourceID] && trail.first?.text.contains("PRIVATE KEY") == false)
        }
    }

    @Test("a tenant's key cannot access it with any scope")
    func tenants() async throws {
        try await TestPlatform.run { platform in
            for (method, path) in [("GET", path), ("POST", "\(path)/check"), ("GET", "\(path)/apple-keys"), ("DELETE", path)] {
                let answer = try await platform.call(method, path, key: platform.acme.api_keys[0].secret)
                #expect(answer.status == 403)
                #expect(answer.problem == "operator_required")
            }
        }
    }

    @Test("a second connection, invalid members and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let apple = try await AppleTeam.make(platform)
            #expect(try await platform.call("POST", path, apple.body()).problem == "already_exists")
            #expect(try await platform.call("POST", path, key: narrow, apple.body()).problem == "insufficient_scope")
            let invalid = try await platform.call("POST", path, ["team_id": "x"])
            #expect(invalid.status == 400 && invalid.refusedFields.contains("team_id"))
        }
    }
}
