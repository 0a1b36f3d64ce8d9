import Access
import Foundation
import Outbox
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing

@Suite("List usage sink events")
struct ListUsageSinkEventsTests {
    private static func times(_ count: Int) -> [Date] {
        (0..<count).map { Date(timeIntervalSince1970: 1_772_323_199.999_999 + Double($0)) }
    }

    @Test("each event is in the log with its own status, and in the list with its facts and no personal data")
    func listed() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(40))
            let logins = try await platform.ownerPool.run("SELECT id FROM usage_event ORDER BY occurred_at").map {
                ID<WaitingUsage.Login>(try $0.get("id", as: UUID.self)).description
            }
            try await platform.takeArrivals()
            // The first event of the batch is rejected, the second is accepted, and the batch ends with another status.
            meter.refuse([logins[0]], status: 422)
            meter.misbehave([.fails, .delays])
            let log = RecordedLog()
            try await platform.sinkWorker(log: log).pass(at: Date().addingTimeInterval(60))
            #expect(try await platform.setAside() == [1, 0])
            #expect((try await platform.shownSink()["last_failure"] as? [String: any Sendable])?["status"] as? Int == 503)
            let line = try #require(log.text.split(separator: "\n").first { $0.contains("set aside") })
            #expect(line.contains("status=422") && line.contains(logins[0]), "\(line)")
            meter.refuse([logins[20], logins[30]], status: 422)
            try await platform.sinkWorker().pass(at: Date().addingTimeInterval(3600))
            let poison = Set([0, 20, 30].map { logins[$0] })

            let path = TestPlatform.sinkPath + "/events"
            var (listed, after): ([[String: any Sendable]], String) = ([], "")
            for _ in 0..<2 {
                let page = try await platform.call("GET", path + "?limit=2" + after)
                #expect(page.status == 200, "\(page.body)")
                listed += page.json["data"] as? [[String: any Sendable]] ?? []
                after = ((page.json["list_metadata"] as? [String: any Sendable])?["after"] as? String).map { "&after=\($0)" } ?? ""
            }
            #expect(after.isEmpty)
            #expect(Set(listed.compactMap { $0["id"] as? String }) == poison)
            for event in listed {
                #expect(
                    Set(event.keys) == ["id", "object", "tenant_id", "occurred_at", "logins", "reason", "status", "refused_at"])
                #expect(event["tenant_id"] as? String == platform.acme.id)
                #expect(event["status"] as? Int == 422 && event["reason"] as? String == "refused" && event["logins"] as? Int == 1)
            }
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).status == 403)
        }
    }

    @Test("a silent sign-in in the list has no login")
    func silentLogin() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(2), kind: "silent_login")
            let events = try await platform.ownerPool.run("SELECT id FROM usage_event ORDER BY occurred_at").map {
                ID<WaitingUsage.Login>(try $0.get("id", as: UUID.self)).description
            }
            try await platform.rollUp()
            meter.refuse([events[0]], status: 422)
            try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60))
            let page = try await platform.call("GET", TestPlatform.sinkPath + "/events")
            let listed = page.json["data"] as? [[String: any Sendable]] ?? []
            #expect(listed.map { $0["id"] as? String } == [events[0]])
            #expect(listed.first?["logins"] as? Int == 0)
        }
    }

    @Test("a missing scope, a tenant's key and an unknown parameter are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = TestPlatform.sinkPath + "/events"
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path + "?state=lost").status == 400)
        }
    }
}
