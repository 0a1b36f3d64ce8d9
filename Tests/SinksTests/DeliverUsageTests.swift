import Access
import Foundation
@testable import Ledger
import Outbox
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing
import Web

@Suite("Deliver usage")
struct DeliverUsageTests {
    private static func times(_ count: Int) -> [Date] {
        (0..<count).map { Date(timeIntervalSince1970: 1_772_323_199.999_999 + Double($0)) }
    }

    @Test("a silent sign-in arrives with a type of its own, so that a meter of logins does not count it")
    func silentLogin() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(2))
            try await platform.append(Self.times(3), kind: "silent_login")
            try await platform.rollUp()
            _ = try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60))
            let types = meter.requests.flatMap(\.events).compactMap { $0["type"] as? String }
            #expect(types.count { $0 == "espalier.login.succeeded" } == 2)
            #expect(types.count { $0 == "espalier.silent_login.succeeded" } == 3)
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("an aggregated login arrives as a CloudEvent with its ID, and no row remains")
    func arrives() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            _ = try await TestBrowser(platform).tokens(.init(platform.acme))
            try await platform.append([Date(timeIntervalSince1970: 1_772_323_199.999_999)], of: platform.globex, connection: "shared")
            #expect(try await platform.sinkWorker().pass(at: Date()) == 0)
            try await platform.takeArrivals()
            #expect(try await platform.waiting() == 2)
            #expect(try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60)) == 1)

            #expect(meter.counted == (try await platform.ledger()))
            #expect(meter.requests.count == 1)
            let request = try #require(meter.requests.first)
            #expect(request.type == "application/cloudevents-batch+json")
            #expect(request.authorization == "Bearer \(TestPlatform.sinkSecret)")
            #expect(request.events.count == 2)
            let (late, event) = (try #require(request.events.first), try #require(request.events.last))
            #expect(Set(event.keys) == ["specversion", "id", "source", "type", "subject", "time", "datacontenttype", "data"])
            #expect(event["specversion"] as? String == "1.0")
            #expect(event["type"] as? String == "espalier.login.succeeded")
            #expect(event["source"] as? String == "/tenants/\(platform.acme.id)")
            #expect(event["subject"] as? String == platform.acme.id)
            // The session has the login's ID.
            let session = try #require(
                try await platform.ownerPool.run("SELECT id FROM session").first { try $0.get("id", as: ID<Tenant>.self) })
            #expect(event["id"] as? String == "login" + session.description.dropFirst("tenant".count))
            let data = try #require(event["data"] as? [String: String])
            #expect(data["application_id"] == platform.acme.applications[0].client_id)
            #expect(data["user_id"]?.hasPrefix("user_") == true)
            #expect(data["kind"] == "login")
            #expect(data["connection"] == "own")
            #expect((late["data"] as? [String: String])?["billing_period"] == "2026-02")
            #expect(data.count == 5)
            #expect(late["time"] as? String == "2026-02-28T23:59:59.999999Z")

            #expect(try await platform.sinkRows() == [0, 0, 0])
            let shown = try await platform.shownSink()
            #expect(shown["last_delivered_at"] != nil)
            #expect(shown["last_failure"] == nil)
        }
    }

    @Test(
        "a receiver that loses, repeats, delays, rejects and fails requests finally has counted each login once",
        arguments: [false, true])
    func misdeeds(isStripe: Bool) async throws {
        try await withMeter(isStripe: isStripe) { platform, meter in
            try await platform.sink(to: meter, isStripe: isStripe)
            try await platform.nameCustomers()
            // Batches of different sizes, of both tenants.
            for count in [1, 7, 3, 12] {
                try await platform.append(TestPlatform.recent(count, every: 20))
                try await platform.append(TestPlatform.recent(2), of: platform.globex, connection: "shared")
                try await platform.takeArrivals()
            }
            meter.misbehave((MeterReceiver.Misdeed.allCases + MeterReceiver.Misdeed.allCases).shuffled())
            let worker = platform.sinkWorker(timeout: .milliseconds(500))
            try await platform.deliverAll(worker)
            // The remaining faults do not undo a count.
            let ledger = try await platform.ledger()
            #expect(ledger.count == 31)
            if let stripe = meter.stripe {
                let counted = try await platform.ledgerByCustomer()
                #expect(stripe.logins == counted)
                #expect(stripe.reported.isEmpty)
            } else {
                #expect(meter.counted == ledger)
            }
            #expect(meter.repetitions > 0)
        }
    }

    @Test("a running server delivers usage")
    func running() async throws {
        try await MeterReceiver.run { meter in
            try await TestPlatform.run({ $0.allowsPrivateWebhooks = true }) { platform in
                try await platform.sink(to: meter)
                try await platform.append(Self.times(150))
                try await platform.takeArrivals()
                let ledger = try await platform.ledger()
                try await eventually("all have arrived") { meter.counted == ledger }
                try await eventually("nothing is left") { try await platform.sinkRows() == [0, 0, 0] }
            }
        }
    }

    @Test("many logins go in batches of 100")
    func batches() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(251))
            try await platform.takeArrivals()
            #expect(try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60)) == 3)
            #expect(meter.requests.map(\.events.count).sorted() == [51, 100, 100])
            #expect(meter.counted == (try await platform.ledger()))
        }
    }

    @Test("two processes with the same batch send it twice, it is counted once, and no row remains")
    func twoProcesses() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(5))
            try await platform.takeArrivals()
            let entry = try #require(
                try await platform.ownerPool.run("SELECT id, subject FROM outbox WHERE kind = 'usage_sink'").first {
                    (try $0.get("id", as: UUID.self), try $0.get("subject", as: UUID.self))
                })
            #expect(entry.0 == entry.1)
            meter.misbehave([.delays])
            async let one = platform.sinkWorker().pass(at: Date().addingTimeInterval(60))
            // For the second process, the lease of the first is over.
            async let two = platform.sinkWorker().pass(at: Date().addingTimeInterval(600))
            #expect(try await one + two >= 1)
            try await platform.deliverAll(platform.sinkWorker())
            #expect(meter.counted == (try await platform.ledger()))
        }
    }

    @Test("events reach the sink in the transaction that aggregates them, or not at all, and without a sink none do")
    func handOver() async throws {
        struct Died: Error {}
        try await withMeter { platform, meter in
            try await platform.append(Self.times(2))
            try await platform.takeArrivals()
            #expect(try await platform.sinkRows() == [0, 0, 0])
            try await platform.sink(to: meter)
            try await platform.append(Self.times(3))
            await #expect(throws: Died.self) {
                try await PlatformDatabase(platform.pool).transaction { db in
                    _ = try await db.run("DELETE FROM usage_arrival")
                    throw Died()
                }
            }
            #expect(try await platform.sinkRows() == [0, 0, 0])
            try await platform.takeArrivals()
            #expect(try await platform.sinkRows() == [3, 1, 1])
            // Without events there is nothing to do.
            try await platform.takeArrivals()
            #expect(try await platform.sinkRows() == [3, 1, 1])
        }
    }

    @Test("events wait during a pause, and then go to the sink's current address")
    func paused() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            #expect(try await platform.call("PATCH", TestPlatform.sinkPath, ["status": "paused"]).status == 200)
            try await platform.append(Self.times(2))
            try await platform.takeArrivals()
            #expect(try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60)) == 1)
            #expect(try await platform.sinkWorker().pass(at: Date().addingTimeInterval(1_000_000)) == 0)
            #expect(meter.requests.isEmpty)
            #expect(try await platform.waiting() == 2)
            #expect(try await platform.call("PATCH", TestPlatform.sinkPath, ["status": "enabled"]).status == 200)
            #expect(try await platform.sinkWorker().pass(at: Date()) == 1)
            #expect(meter.counted.count == 2)
        }
    }

    @Test("unaccepted events are sent again with longer waits, at once on request, and without an end")
    func schedule() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            meter.refuse((503, ""))
            try await platform.append(Self.times(2))
            try await platform.takeArrivals()
            var at = Date().addingTimeInterval(60)
            for attempt in 1...15 {
                #expect(try await platform.sinkWorker().pass(at: at) == 1)
                let due = try #require(
                    try await platform.ownerPool.run("SELECT due_at FROM outbox WHERE kind = 'usage_sink'").first {
                        try $0.get("due_at", as: Date.self)
                    })
                let wait: TimeInterval = due.timeIntervalSince(at)
                let most: TimeInterval = min(5 * pow(2, Double(attempt - 1)), 900)
                #expect(wait >= most / 2 && wait <= most + 30, "attempt \(attempt): \(wait)")
                at = due.addingTimeInterval(1)
            }
            #expect(meter.requests.count == 15)
            #expect(Set(meter.requests.map(\.body)).count == 1)
            meter.refuse(nil)
            #expect(try await platform.sinkWorker().pass(at: at.addingTimeInterval(-3600)) == 0)
            let retried = try await platform.call("POST", TestPlatform.sinkPath + "/retry")
            #expect(retried.status == 200, "\(retried.body)")
            #expect(try await platform.sinkWorker().pass(at: Date()) == 1)
            #expect(meter.counted.count == 2)
        }
    }

    @Test("waiting events are deleted with the sink, and not sent to the next one")
    func deleted() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            meter.refuse((503, ""))
            try await platform.append(Self.times(2))
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60))
            #expect(try await platform.call("DELETE", TestPlatform.sinkPath).status == 204)
            meter.refuse(nil)
            try await platform.sink(to: meter)
            #expect(try await platform.sinkWorker().pass(at: Date().addingTimeInterval(60)) == 1)
            #expect(try await platform.sinkRows() == [0, 0, 0])
            #expect(meter.counted.isEmpty)
        }
    }

    @Test("a private network is not reached, and the sink shows this")
    func privateNetwork() async throws {
        try await withMeter { platform, meter in
            try await platform.sink(to: meter)
            try await platform.append(Self.times(1))
            try await platform.takeArrivals()
            try await platform.sinkWorker(allowsPrivate: false).pass(at: Date().addingTimeInterval(60))
            #expect(meter.requests.isEmpty)
            let failure = try #require(try await platform.shownSink()["last_failure"] as? [String: any Sendable])
            #expect(failure["error"] as? String == "address_refused")
            #expect(failure["status"] == nil)
        }
    }
}
