import Foundation
import Server
import Testing
import TestSupport

@Suite("Update usage sink")
struct UpdateUsageSinkTests {
    private static let url = "https://openmeter.example.com/api/v1/events"

    @Test("sent members change under the version that was read, each with an audit event, and null removes the secret")
    func changed() async throws {
        try await TestPlatform.run { platform in
            let path = TestPlatform.sinkPath
            let created = try await platform.call("POST", path, ["format": "cloudevents", "url": Self.url])
            let changed = try await platform.call(
                "PATCH", path, ["secret": TestPlatform.sinkSecret, "url": Self.url + "/2"],
                headers: [("If-Match", created.header("ETag") ?? "")])
            #expect(changed.status == 200, "\(changed.body)")
            #expect(changed.json["has_secret"] as? Bool == true)
            #expect(changed.json["url"] as? String == Self.url + "/2")
            let stale = try await platform.call("PATCH", path, ["status": "paused"], headers: [("If-Match", created.header("ETag") ?? "")])
            #expect(stale.status == 412)
            let without = try await platform.call("PATCH", path, ["secret": NSNull()])
            #expect(without.json["has_secret"] as? Bool == false, "\(without.body)")
            let trail = try await platform.auditTrail(of: "updateUsageSink")
            #expect(trail.map(\.subject) == [created.resourceID, created.resourceID])
            #expect(!trail.contains { $0.text.contains(TestPlatform.sinkSecret) })
        }
    }

    @Test("a missing sink, a tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = TestPlatform.sinkPath
            #expect(try await platform.call("PATCH", path, ["status": "paused"]).status == 404)
            #expect(try await platform.call("POST", path, ["format": "cloudevents", "url": Self.url]).status == 201)
            let own = try await platform.call("PATCH", path, key: platform.acme.api_keys[0].secret, ["status": "paused"])
            #expect(own.problem == "operator_required")
            let lacking = try await platform.call("PATCH", path, key: narrow, ["status": "paused"])
            #expect(lacking.problem == "insufficient_scope")
            #expect(try await platform.call("GET", path).json["status"] as? String == "enabled")
        }
    }
}
