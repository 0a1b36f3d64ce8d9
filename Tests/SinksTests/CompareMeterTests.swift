import Foundation
import HTTPTypes
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing

@Suite("Compare with Stripe")
struct CompareMeterTests {
    @Test("counted logins are confirmed without a log message")
    func equal() async throws {
        try await withStripe(comparesPast: true) { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(5, every: 1800, since: 20_000))
            try await platform.append(TestPlatform.recent(5, every: 60, since: 20_000), of: platform.globex)
            try await platform.takeArrivals()
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            #expect(try await platform.comparison()["unconfirmed"] as? Int == 10)
            let log = RecordedLog()
            // Stripe has an hour to count.
            #expect(try await platform.compareMeter(log: log).pass(at: now + 600) == 0)
            #expect(try await platform.compareMeter(log: log).pass(at: now + 4000) > 0)
            #expect(try await platform.comparison()["unconfirmed"] as? Int == 0)
            #expect(try await platform.comparison()["differences"] as? Int == 0)
            #expect(try await platform.comparison()["last_compared_at"] != nil)
            #expect(!log.text.contains("Stripe's meter differs"))
            #expect(try await platform.compareMeter().pass(at: now + 8000) == 0)
            // A late login makes a confirmed hour due again.
            try await platform.append(TestPlatform.recent(1, since: 20_000))
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: now + 9000)
            #expect(try await platform.compareMeter().pass(at: now + 13_000) == 1)
            #expect(try await platform.comparison()["unconfirmed"] as? Int == 0)
        }
    }

    @Test("the comparison shows whether an uncertain event was counted")
    func uncertain() async throws {
        try await withStripe(comparesPast: true) { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(2, since: 20_000))
            try await platform.takeArrivals()
            meter.misbehave([.failsAfterwards])
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            try await platform.sinkWorker().pass(at: now + 24 * 3600)
            #expect(try await platform.setAside() == [2, 2])
            #expect(try await platform.compareMeter().pass(at: now + 26 * 3600) == 1)
            let difference = try #require(try await platform.meterDifferences().first)
            #expect(difference["sent"] as? Int == 0 && difference["counted"] as? Int == 2)
        }
    }

    @Test("a failed comparison is reported: a key without permission, a meter of another kind, a missing meter")
    func failures() async throws {
        try await withStripe(comparesPast: true) { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(2, since: 20_000))
            try await platform.takeArrivals()
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            func failure(_ pass: TimeInterval) async throws -> [String: any Sendable]? {
                _ = try await platform.compareMeter().pass(at: now + pass)
                return try await platform.comparison()["last_failure"] as? [String: any Sendable]
            }
            stripe.answersReads(.forbidden)
            #expect(try await failure(4000)?["status"] as? Int == 403)
            stripe.answersReads(.ok)
            stripe.aggregates(by: "count")
            #expect(try await failure(5000)?["error"] as? String == "meter_not_sum")
            stripe.aggregates(by: "sum")
            _ = try await platform.ownerPool.run("UPDATE usage_sink SET event_name = 'missing'")
            _ = try await platform.ownerPool.run("UPDATE usage_meter_event SET event_name = 'missing'")
            #expect(try await failure(6000)?["error"] as? String == "meter_not_found")
            #expect(try await platform.comparison()["unconfirmed"] as? Int == 2)
            _ = try await platform.ownerPool.run("UPDATE usage_sink SET event_name = 'logins'")
            _ = try await platform.ownerPool.run("UPDATE usage_meter_event SET event_name = 'logins'")
            #expect(try await failure(7000) == nil)
            #expect(try await platform.comparison()["unconfirmed"] as? Int == 0)
        }
    }
}
