import Access
import Foundation
import HTTPTypes
import Postgres
import Server
import Sinks
import Tenancy
import TestSupport
import Testing

@Suite("Delete usage sink")
struct DeleteUsageSinkTests {
    private static let url = "https://openmeter.example.com/api/v1/events"

    @Test("the sink is deleted once, under the version that was read, with an audit event")
    func deletes() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = TestPlatform.sinkPath
            let created = try await platform.call("POST", path, ["format": "cloudevents", "url": Self.url])
            #expect(try await platform.call("DELETE", path, headers: [("If-Match", "\"stale\"")]).status == 412)
            #expect(try await platform.call("DELETE", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("DELETE", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("DELETE", path).status == 204)
            #expect(try await platform.call("DELETE", path).status == 404)
            #expect(try await platform.call("PATCH", path, ["status": "paused"]).status == 404)
            #expect(try await platform.call("POST", path + "/retry").status == 404)
            let actions = try await platform.ownerPool.run(
                "SELECT action FROM audit_event WHERE tenant_id = \(UUID.platform) AND subject LIKE 'usagesink%' ORDER BY sequence"
            ).map { try $0.get("action", as: String.self) }
            #expect(actions == ["createUsageSink", "deleteUsageSink"])
            #expect(try await platform.auditTrail(of: "deleteUsageSink").map(\.subject) == [created.resourceID])
        }
    }

    @Test("a new sink does not count or list events of the deleted one")
    func deleted() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(TestPlatform.recent(3))
            try await platform.takeArrivals()
            // One event was set aside.
            _ = try await platform.ownerPool.run([
                """
                UPDATE usage_sink_event SET refused_at = now(), refused_status = 400
                WHERE id = (SELECT min(id::text)::uuid FROM usage_sink_event)
                """,
                "UPDATE usage_sink_batch SET events = events - 1",
            ])
            #expect(try await platform.waiting() == 2)
            #expect(try await platform.setAside() == [1, 0])
            #expect(try await platform.call("DELETE", TestPlatform.sinkPath).status == 204)
            try await platform.sink(to: meter)
            let waiting = try await platform.shownSink()["waiting"] as? [String: any Sendable]
            #expect(waiting?["events"] as? Int == 0 && waiting?["since"] == nil, "\(waiting ?? [:])")
            #expect(try await platform.setAside() == [0, 0])
            let events = try await platform.call("GET", TestPlatform.sinkPath + "/events")
            #expect((events.json["data"] as? [Any])?.isEmpty == true, "\(events.body)")
        }
    }
}
