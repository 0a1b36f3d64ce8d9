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
    /// A platform with an old sink to Stripe's meter, and a customer for each tenant.
    private static func withStripe<T: Sendable>(
        _ body: @Sendable @escaping (TestPlatform, MeterReceiver, StripeMeter) async throws -> T
    ) async throws -> T {
        try await withMeter(isStripe: true) { platform, meter in
            try await platform.sink(to: meter, isStripe: true)
            try await platform.nameCustomers()
            _ = try await platform.ownerPool.run("UPDATE usage_sink SET compares_from = '2026-01-01'")
            return try await body(platform, meter, meter.stripe!)
        }
    }

    private static func compare(_ platform: TestPlatform, log: RecordedLog = RecordedLog()) -> CompareMeter {
        CompareMeter(pool: platform.pool, keyring: platform.settings.keyring, allowsPrivate: true, logger: log.logger)
    }

    private static func differences(_ platform: TestPlatform) async throws -> [[String: any Sendable]] {
        let page = try await platform.call("GET", TestPlatform.sinkPath + "/differences")
        try #require(page.status == 200, "\(page.body)")
        return page.json["data"] as? [[String: any Sendable]] ?? []
    }

    private static func comparison(_ platform: TestPlatform) async throws -> [String: any Sendable] {
        try await platform.shownSink()["comparison"] as? [String: any Sendable] ?? [:]
    }

    @Test("counted logins are confirmed without a log message")
    func equal() async throws {
        try await Self.withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(5, every: 1800, since: 20_000))
            try await platform.append(TestPlatform.recent(5, every: 60, since: 20_000), of: platform.globex)
            try await platform.takeArrivals()
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            #expect(try await Self.comparison(platform)["unconfirmed"] as? Int == 10)
            let log = RecordedLog()
            // Stripe has an hour to count.
            #expect(try await Self.compare(platform, log: log).pass(at: now + 600) == 0)
            #expect(try await Self.compare(platform, log: log).pass(at: now + 4000) > 0)
            #expect(try await Self.comparison(platform)["unconfirmed"] as? Int == 0)
            #expect(try await Self.comparison(platform)["differences"] as? Int == 0)
            #expect(try await Self.comparison(platform)["last_compared_at"] != nil)
            #expect(!log.text.contains("Stripe's meter differs"))
            #expect(try await Self.compare(platform).pass(at: now + 8000) == 0)
            // A late login makes a confirmed hour due again.
            try await platform.append(TestPlatform.recent(1, since: 20_000))
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: now + 9000)
            #expect(try await Self.compare(platform).pass(at: now + 13_000) == 1)
            #expect(try await Self.comparison(platform)["unconfirmed"] as? Int == 0)
        }
    }

    @Test("logins that Stripe accepted and dropped later are in the log once, and in the list until they are counted")
    func vanished() async throws {
        try await Self.withStripe { platform, meter, stripe in
            // Its customer was deleted at Stripe since then.
            stripe.knows(nil, deleted: ["cus_acme"])
            let times = TestPlatform.recent(4, since: 20_000)
            try await platform.append(times)
            try await platform.append(TestPlatform.recent(2, since: 20_000), of: platform.globex)
            try await platform.takeArrivals()
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            #expect(try await platform.sinkRows() == [0, 0, 0])
            #expect(stripe.reported == ["meter_event_customer_not_found"])
            let log = RecordedLog()
            #expect(try await Self.compare(platform, log: log).pass(at: now + 4000) == 2)
            let line = try #require(log.text.split(separator: "\n").first { $0.contains("Stripe's meter differs from the sent logins") })
            for fact in ["customer=cus_acme", "sent=4", "counted=0", platform.acme.id] { #expect(line.contains(fact)) }
            let difference = try #require(try await Self.differences(platform).first)
            #expect(try await Self.differences(platform).count == 1)
            #expect(difference["customer_id"] as? String == "cus_acme")
            #expect(difference["tenant_ids"] as? [String] == [platform.acme.id])
            #expect(difference["sent"] as? Int == 4 && difference["counted"] as? Int == 0)
            #expect(try await Self.comparison(platform)["differences"] as? Int == 1)
            // The log message appears once. The next comparison is an hour later, or when an operator requests it.
            #expect(try await Self.compare(platform, log: log).pass(at: now + 5000) == 0)
            #expect(try await Self.compare(platform, log: log).pass(at: now + 8000) == 1)
            #expect(log.text.split(separator: "\n").count { $0.contains("Stripe's meter differs from the sent logins") } == 1)
            _ = try await platform.call("POST", TestPlatform.sinkPath + "/retry")
            // The operator has added the missing logins at Stripe.
            stripe.add(4, of: "cus_acme", at: times[0])
            #expect(try await Self.compare(platform).pass(at: now + 8100) == 1)
            #expect(try await Self.differences(platform).isEmpty)
            #expect(try await Self.comparison(platform)["unconfirmed"] as? Int == 0)
        }
    }

    @Test("a customer that Stripe does not have is reported, and the others are compared")
    func unknownCustomer() async throws {
        try await Self.withStripe { platform, meter, stripe in
            // Each ID was set while Stripe was not asked.
            stripe.knows(["cus_globex"])
            try await platform.append(TestPlatform.recent(4, since: 20_000))
            try await platform.append(TestPlatform.recent(2, since: 20_000), of: platform.globex)
            try await platform.takeArrivals()
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            #expect(try await Self.compare(platform).pass(at: now + 4000) == 2)
            let differences = try await Self.differences(platform)
            #expect(differences.map { $0["customer_id"] as? String } == ["cus_acme"])
            #expect(differences.first?["sent"] as? Int == 4 && differences.first?["counted"] as? Int == 0)
            #expect(try await Self.comparison(platform)["last_compared_at"] != nil)
        }
    }

    @Test("the comparison shows whether an uncertain event was counted")
    func uncertain() async throws {
        try await Self.withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(2, since: 20_000))
            try await platform.takeArrivals()
            meter.misbehave([.failsAfterwards])
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            try await platform.sinkWorker().pass(at: now + 24 * 3600)
            #expect(try await platform.setAside() == [2, 2])
            #expect(try await Self.compare(platform).pass(at: now + 26 * 3600) == 1)
            let difference = try #require(try await Self.differences(platform).first)
            #expect(difference["sent"] as? Int == 0 && difference["counted"] as? Int == 2)
        }
    }

    @Test("a failed comparison is reported: a key without permission, a meter of another kind, a missing meter")
    func failures() async throws {
        try await Self.withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(2, since: 20_000))
            try await platform.takeArrivals()
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            func failure(_ pass: TimeInterval) async throws -> [String: any Sendable]? {
                _ = try await Self.compare(platform).pass(at: now + pass)
                return try await Self.comparison(platform)["last_failure"] as? [String: any Sendable]
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
            #expect(try await Self.comparison(platform)["unconfirmed"] as? Int == 2)
            _ = try await platform.ownerPool.run("UPDATE usage_sink SET event_name = 'logins'")
            _ = try await platform.ownerPool.run("UPDATE usage_meter_event SET event_name = 'logins'")
            #expect(try await failure(7000) == nil)
            #expect(try await Self.comparison(platform)["unconfirmed"] as? Int == 0)
        }
    }

    // MARK: Customers

    @Test("an unknown customer at Stripe is refused with its name, and without a response nothing changes")
    func customers() async throws {
        try await Self.withStripe { platform, meter, stripe in
            stripe.knows(["cus_acme", "cus_1-A"], deleted: ["cus_gone"])
            func set(_ customer: String) async throws -> TestBrowser.Answer {
                try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": customer])
            }
            for customer in ["cus_other", "cus_gone", "../billing/meters"] {
                let refused = try await set(customer)
                #expect(refused.status == 400, "\(customer): \(refused.body)")
                #expect((refused.json["errors"] as? [[String: String]])?.first?["field"] == "customer_id")
            }
            #expect(try await set("cus_1-A").status == 200)
            // Stripe has other objects at these paths.
            stripe.knows(nil)
            for customer in [".", "..", "cus bad", "cus_ü", "cus_a/b", "cus_a?b", "cus_a\u{301}"] {
                let refused = try await set(customer)
                #expect(refused.status == 400, "\(customer): \(refused.body)")
            }
            for answer in [(object: "list", id: "cus_acme"), (object: "customer", id: "cus_other")] {
                stripe.answersCustomers(as: answer)
                #expect(try await set("cus_acme").status == 503)
            }
            stripe.answersCustomers(as: nil)
            stripe.answersReads(.forbidden)
            let denied = try await set("cus_acme")
            #expect(denied.status == 409)
            #expect(denied.body.contains("403"))
            stripe.answersReads(.serviceUnavailable)
            #expect(try await set("cus_acme").status == 503)
            #expect(!denied.body.contains("hush"))
            let none = try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": NSNull()])
            #expect(none.status == 200)
        }
    }
}
