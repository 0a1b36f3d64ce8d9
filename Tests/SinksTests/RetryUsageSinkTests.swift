import Foundation
import Server
import Testing
import TestSupport

@Suite("Retry usage sink")
struct RetryUsageSinkTests {
    @Test("waiting events are sent at once, and events that were set aside are sent again")
    func retried() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(TestPlatform.recent(4))
            let poison = Set(try await platform.ledger().keys.sorted().prefix(1))
            try await platform.takeArrivals()
            meter.refuse(poison, status: 422)
            try await platform.sinkWorker().pass(at: Date())
            #expect(try await platform.setAside() == [1, 0])
            meter.refuse((503, ""))
            try await platform.append(TestPlatform.recent(2))
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date())
            #expect(try await platform.waiting() == 2)
            meter.refuse(nil)
            meter.refuse([], status: 422)
            #expect(try await platform.sinkWorker().pass(at: Date()) == 0)
            let retried = try await platform.call("POST", TestPlatform.sinkPath + "/retry")
            #expect(retried.status == 200, "\(retried.body)")
            #expect((retried.json["waiting"] as? [String: any Sendable])?["events"] as? Int == 3)
            #expect((retried.json["refused"] as? [String: any Sendable])?["events"] as? Int == 0)
            try await platform.sinkWorker().pass(at: Date())
            #expect(meter.counted == (try await platform.ledger()))
            #expect(try await platform.auditTrail(of: "retryUsageSink").map(\.subject) == [retried.resourceID])
        }
    }

    @Test("without a sink it is not found, and a tenant's key, a missing scope and a body with a member are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = TestPlatform.sinkPath + "/retry"
            #expect(try await platform.call("POST", path).problem == "not_found")
            #expect(try await platform.call("POST", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("POST", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("POST", path, ["events": 1]).refusedFields == ["events"])
            #expect(try await platform.auditTrail(of: "retryUsageSink").isEmpty)
        }
    }
}
