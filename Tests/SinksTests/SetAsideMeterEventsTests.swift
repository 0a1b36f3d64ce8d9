import Access
import Foundation
@testable import Ledger
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing
import Web

/// Events that Stripe rejects, that it may have counted, or that are too old.
@Suite("Set aside meter events")
struct SetAsideMeterEventsTests {
    private static func acme(_ platform: TestPlatform) -> ID<Tenant> { ID(platform.acme.id)! }

    @Test("one rejected event blocks no others, is set aside with its own status, and is sent again on request")
    func refused() async throws {
        try await withStripe { platform, meter, stripe in
            let times = TestPlatform.recent(5, every: 60)
            try await platform.append(times + [times[1]])
            try await platform.takeArrivals()
            meter.refuse([MeterEvent.identifier(Self.acme(platform), UUID(), times[1], 0)], status: 422)
            // The last status of the pass is another one.
            meter.misbehave([.refuses])
            let log = RecordedLog()
            try await platform.sinkWorker(log: log).pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 4])
            #expect(try await platform.setAside() == [2, 0])
            #expect(log.text.contains("status=422"))
            let asked = meter.requests.count
            #expect(try await platform.call("PATCH", TestPlatform.sinkPath, ["status": "enabled"]).status == 200)
            try await platform.sinkWorker().pass(at: Date().addingTimeInterval(3600))
            #expect(meter.requests.count == asked)
            meter.refuse([], status: 400)
            // Another tenant's customer is unaffected.
            _ = try await platform.call("PUT", "/tenants/globex/usage-sink-customer", ["customer_id": "cus_globex2"])
            #expect(try await platform.setAside() == [2, 0])
            _ = try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": "cus_acme2"])
            #expect(try await platform.setAside() == [0, 0])
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 4, "cus_acme2": 2])
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("when Stripe rejects everything, it is not asked for each event, and nothing is set aside")
    func allRefused() async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(50, every: 60))
            try await platform.takeArrivals()
            meter.refuse((400, #"{"error":{"message":"No meter has this event name."}}"#))
            var now = Date()
            for _ in 1...8 {
                try await platform.sinkWorker().pass(at: now)
                now += 1000
            }
            #expect(meter.requests.count == 80)
            #expect(try await platform.setAside() == [0, 0])
            meter.refuse(nil)
            try await platform.sinkWorker().pass(at: now)
            #expect(stripe.logins == ["cus_acme": 50])
        }
    }

    @Test("an event that may have been counted a day ago is sent again only on request, and any other automatically")
    func uncertain() async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(2, every: 60))
            try await platform.takeArrivals()
            // Both are counted, and the responses are lost.
            meter.misbehave([.failsAfterwards])
            let start = Date()
            try await platform.sinkWorker().pass(at: start)
            meter.misbehave([.failsAfterwards])
            try await platform.sinkWorker().pass(at: start + 60)
            #expect(stripe.logins == ["cus_acme": 2])
            #expect(try await platform.waiting() == 2)
            // Nothing arrives for a while.
            meter.refuse((503, ""))
            try await platform.sinkWorker().pass(at: start + 22 * 3600)
            #expect(try await platform.setAside() == [0, 0])
            meter.refuse(nil)
            let asked = meter.requests.count
            try await platform.sinkWorker().pass(at: start + 24 * 3600)
            #expect(meter.requests.count == asked)
            #expect(try await platform.setAside() == [2, 2])
            #expect(try await platform.waiting() == 0)
            // Setting a customer does not permit a second count.
            _ = try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": "cus_acme"])
            #expect(try await platform.setAside() == [2, 2])
            _ = try await platform.call("POST", TestPlatform.sinkPath + "/retry")
            try await platform.sinkWorker().pass(at: start + 24 * 3600 + 200)
            #expect(meter.requests.count == asked + 2)
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("an event that never arrived is sent at any later time, because it cannot have been counted")
    func neverArrived() async throws {
        try await withStripe { platform, meter, stripe in
            // No process listens there.
            let free = FreePorts.take()
            let nowhere = try await platform.call(
                "PATCH", TestPlatform.sinkPath, ["url": "http://127.0.0.1:\(free)/v1/billing/meter_events"])
            #expect(nowhere.status == 200, "\(nowhere.body)")
            try await platform.append(TestPlatform.recent(2, every: 60))
            try await platform.takeArrivals()
            let start = Date()
            for hours in [0.0, 22, 30, 50] { try await platform.sinkWorker().pass(at: start + hours * 3600) }
            #expect(try await platform.setAside() == [0, 0])
            #expect(try await platform.waiting() == 2)
            #expect((try await platform.shownSink()["last_failure"] as? [String: any Sendable])?["error"] as? String == "connection_failed")
            _ = try await platform.call("PATCH", TestPlatform.sinkPath, ["url": meter.url])
            try await platform.sinkWorker().pass(at: start + 51 * 3600)
            #expect(stripe.logins == ["cus_acme": 2])
        }
    }

    @Test("an event that Stripe would silently drop for its age is set aside before it is sent")
    func tooOld() async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(2, since: 36 * 86400) + TestPlatform.recent(1, since: 34 * 86400))
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 1])
            #expect(stripe.reported.isEmpty)
            #expect(try await platform.setAside() == [2, 0])
        }
    }
}
