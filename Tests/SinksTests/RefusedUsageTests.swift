import Access
import Foundation
import Outbox
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing

@Suite("Refused usage")
struct RefusedUsageTests {
    private static func times(_ count: Int) -> [Date] {
        (0..<count).map { Date(timeIntervalSince1970: 1_772_323_199.999_999 + Double($0)) }
    }

    /// Some logins of the ledger.
    private static func some(_ count: Int, of platform: TestPlatform) async throws -> Set<String> {
        Set(try await platform.ledger().keys.sorted().prefix(count))
    }

    @Test("an individually rejected event is set aside, and the others of its batch arrive", arguments: [400, 409, 413, 422])
    func poison(status: Int) async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(100))
            let poison = try await Self.some(2, of: platform)
            try await platform.takeArrivals()
            meter.refuse(poison, status: status)
            let at = Date().addingTimeInterval(60)
            #expect(try await platform.sinkWorker().pass(at: at) == 1)
            #expect(Set(meter.counted.keys) == Set(try await platform.ledger().keys).subtracting(poison))
            // The batch is halved, not split into single events.
            #expect(meter.requests.count < 40)
            #expect(meter.repetitions == 0)
            #expect(try await platform.waiting() == 0)
            #expect(try await platform.setAside() == [2, 0])
            let shown = try await platform.shownSink()
            #expect((shown["refused"] as? [String: any Sendable])?["since"] as? String != nil)
            #expect((shown["waiting"] as? [String: any Sendable])?["since"] == nil)
            #expect((shown["last_failure"] as? [String: any Sendable])?["status"] as? Int == status)
            // The event is not sent again, not even when all waiting events are woken.
            let asked = meter.requests.count
            #expect(try await platform.call("PATCH", TestPlatform.sinkPath, ["status": "enabled"]).status == 200)
            for later in [3600.0, 1_000_000] { try await platform.sinkWorker().pass(at: at.addingTimeInterval(later)) }
            #expect(meter.requests.count == asked)
            #expect(try await platform.setAside() == [2, 0])
            // An operator must request it.
            meter.refuse([], status: 400)
            let retried = try await platform.call("POST", TestPlatform.sinkPath + "/retry")
            #expect((retried.json["waiting"] as? [String: any Sendable])?["events"] as? Int == 2, "\(retried.body)")
            #expect((retried.json["refused"] as? [String: any Sendable])?["events"] as? Int == 0)
            try await platform.sinkWorker().pass(at: Date())
            #expect(meter.counted == (try await platform.ledger()))
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("a receiver that rejects everything is not asked for each event, nothing is set aside, and later all arrive")
    func all() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(100))
            try await platform.takeArrivals()
            meter.refuse((400, ""))
            var at = Date().addingTimeInterval(60)
            for _ in 1...8 {
                try await platform.sinkWorker().pass(at: at)
                at += 3600
            }
            #expect(meter.requests.count < 8 * 30)
            #expect(try await platform.setAside() == [0, 0])
            #expect(try await platform.waiting() == 100)
            meter.refuse(nil)
            try await platform.sinkWorker().pass(at: at)
            #expect(meter.counted == (try await platform.ledger()))
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("a single event in a batch is set aside only after several rejections, when others were accepted since")
    func alone() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(1))
            let poison = try await Self.some(1, of: platform)
            meter.refuse(poison, status: 400)
            try await platform.takeArrivals()
            var at = Date().addingTimeInterval(60)
            for _ in 1...6 {
                try await platform.sinkWorker().pass(at: at)
                at += 3600
            }
            #expect(try await platform.setAside() == [0, 0])
            try await platform.append(Self.times(1), of: platform.globex)
            try await platform.takeArrivals()
            for _ in 1...2 {
                try await platform.sinkWorker().pass(at: at)
                at += 3600
            }
            #expect(try await platform.setAside() == [1, 0])
            #expect(meter.counted.count == 1)
            // Deleting the sink deletes the events that it rejected.
            #expect(try await platform.call("DELETE", TestPlatform.sinkPath).status == 204)
            try await platform.sinkWorker().pass(at: at)
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("a status about the sink or a temporary one sets nothing aside", arguments: [401, 403, 404, 408, 425, 429, 500, 503])
    func passing(status: Int) async throws {
        for isStripe in [false, true] {
            try await withMeter(isStripe: isStripe) { platform, meter in
                try await platform.sink(to: meter, isStripe: isStripe)
                _ = try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": "cus_acme"])
                try await platform.append(TestPlatform.recent(3, every: 60))
                try await platform.takeArrivals()
                meter.refuse(try await isStripe ? ["cus_acme"] : Self.some(1, of: platform), status: status)
                var at = Date().addingTimeInterval(60)
                for _ in 1...7 {
                    try await platform.sinkWorker().pass(at: at)
                    at += 900
                }
                #expect(try await platform.setAside() == [0, 0])
                #expect(try await platform.waiting() > 0)
                meter.refuse([], status: 400)
                try await platform.sinkWorker().pass(at: at)
                let ledger = try await platform.ledger()
                if let stripe = meter.stripe {
                    #expect(stripe.logins == ["cus_acme": 3])
                } else {
                    #expect(Set(meter.counted.keys) == Set(ledger.keys))
                }
                #expect(try await platform.sinkRows() == [0, 0, 0])
            }
        }
    }

    // MARK: The end of a tenant

    /// Deletes Acme with the time for a restoration already over, and purges it.
    private static func purge(_ platform: TestPlatform) async throws {
        // The passes would have done this by then.
        try await platform.rollUp()
        try await platform.close(at: Date(timeIntervalSinceNow: 40 * 86400))
        #expect(try await platform.call("DELETE", "/tenants/acme?confirm=acme").status == 200)
        _ = try await platform.ownerPool.run("UPDATE tenant SET purge_after = now() - interval '1 second' WHERE slug = 'acme'")
        #expect(try await platform.installation.purge.purgeDue() == 1)
    }

    private static func customers(_ platform: TestPlatform) async throws -> [String] {
        try await platform.ownerPool.run("SELECT customer_id FROM usage_sink_customer ORDER BY 1").map { try $0.get("customer_id") }
    }

    @Test("waiting events of a purged tenant are still counted, without its users, and then deleted", arguments: [false, true])
    func purged(isStripe: Bool) async throws {
        try await withMeter(isStripe: isStripe) { platform, meter in
            try await platform.sink(to: meter, isStripe: isStripe)
            try await platform.nameCustomers()
            meter.refuse((503, ""))
            // Two batches.
            for _ in 1...2 {
                try await platform.append(TestPlatform.recent(2))
                try await platform.append(TestPlatform.recent(1), of: platform.globex)
                try await platform.rollUp()
            }
            let ledger = try await platform.ledger()
            try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60))
            try await Self.purge(platform)
            #expect(try await platform.ledger().count == 2)
            let acme = ID<Tenant>(platform.acme.id)!
            let users = try await platform.ownerPool.run(
                "SELECT tenant_id = \(acme) AS is_acme, user_id IS NULL AS is_forgotten FROM usage_sink_event")
            #expect(users.count == (isStripe ? 0 : 6))
            for row in users { #expect(try row.get("is_acme", as: Bool.self) == row.get("is_forgotten", as: Bool.self)) }
            #expect(try await Self.customers(platform) == ["cus_acme", "cus_globex"])

            meter.refuse(nil)
            try await platform.deliverAll(platform.sinkWorker())
            if let stripe = meter.stripe {
                #expect(stripe.logins == ["cus_acme": 4, "cus_globex": 2])
            } else {
                #expect(meter.counted == ledger)
                // The last two requests are those after the purge.
                let events = meter.requests.suffix(2).flatMap(\.events)
                #expect(events.count == 6)
                for event in events {
                    let data = try #require(event["data"] as? [String: any Sendable])
                    #expect((data["user_id"] == nil) == (event["subject"] as? String == platform.acme.id))
                    #expect(data["application_id"] != nil)
                }
            }
            #expect(try await Self.customers(platform) == ["cus_globex"])
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("a purged tenant without waiting events leaves none, and events set aside wait for a decision")
    func purgedLater() async throws {
        try await withMeter(isStripe: true) { platform, meter in
            try await platform.sink(to: meter, isStripe: true)
            try await platform.nameCustomers()
            let times = TestPlatform.recent(2, every: 60)
            try await platform.append(times)
            meter.refuse([MeterEvent.identifier(ID(platform.acme.id)!, UUID(), times[0], 0)], status: 400)
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60))
            try await Self.purge(platform)
            #expect(try await platform.setAside() == [1, 0])
            #expect(try await Self.customers(platform) == ["cus_acme", "cus_globex"])
            meter.refuse([], status: 400)
            _ = try await platform.call("POST", TestPlatform.sinkPath + "/retry")
            try await platform.sinkWorker().pass(at: Date().addingTimeInterval(120))
            #expect(meter.stripe?.logins == ["cus_acme": 2])
            #expect(try await Self.customers(platform) == ["cus_globex"])
        }
        try await TestPlatform.run { platform in
            _ = try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": "cus_acme"])
            try await Self.purge(platform)
            #expect(try await Self.customers(platform) == [])
        }
    }
}
