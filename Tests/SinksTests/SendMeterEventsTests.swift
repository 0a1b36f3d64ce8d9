import Access
import Encoding
import Foundation
@testable import Ledger
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing
import Web

@Suite("Send meter events")
struct SendMeterEventsTests {
    private static func sequences(_ meter: MeterReceiver) -> [String] {
        meter.requests.compactMap { $0.form?["identifier"] }.map { String($0.split(separator: "-").last!) }
    }

    @Test("a meter event contains meter, minute, customer and the number of logins, under its identifier")
    func meterEvent() async throws {
        try await withMeter(isStripe: true) { platform, meter in
            try await platform.sink(to: meter, isStripe: true)
            _ = try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": "cus_N-1"])
            let minute = TestPlatform.recent(1)[0]
            // The last microsecond of the minute is part of it, and the next one is not.
            try await platform.append([minute, minute + 30, minute + 59.999_999, minute + 60])
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date())
            #expect(meter.requests.count == 2)
            let request = try #require(meter.requests.first)
            let form = try #require(request.form)
            #expect(request.type == "application/x-www-form-urlencoded")
            #expect(request.authorization == "Bearer \(TestPlatform.sinkSecret)")
            #expect(Set(form.names) == ["event_name", "identifier", "timestamp", "payload[stripe_customer_id]", "payload[value]"])
            #expect(form["event_name"] == "logins")
            #expect(form["identifier"] == "\(platform.acme.id)-\(Day.moment(minute).prefix(16))Z-0")
            #expect(form["timestamp"] == String(Int(minute.timeIntervalSince1970)))
            #expect(form["payload[stripe_customer_id]"] == "cus_N-1")
            #expect(form["payload[value]"] == "3")
            #expect(meter.stripe?.logins == ["cus_N-1": 4])
        }
    }

    @Test("a meter of logins counts no silent sign-in")
    func silentLogins() async throws {
        try await withStripe { platform, _, stripe in
            try await platform.append(TestPlatform.recent(4, every: 60))
            try await platform.append(TestPlatform.recent(9, every: 60), kind: "silent_login")
            try await platform.rollUp()
            #expect(try await platform.waiting() == 4)
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 4])
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("200 logins of several tenants arrive in one pass within Stripe's limits, with customers in parallel")
    func noStall() async throws {
        try await withStripe { platform, meter, stripe in
            // 34 minutes each.
            try await platform.append(TestPlatform.recent(100, every: 20))
            try await platform.append(TestPlatform.recent(100, every: 20), of: platform.globex)
            try await platform.takeArrivals()
            #expect(try await platform.waiting() == 200)
            stripe.expect(atOnce: 2)
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 100, "cus_globex": 100])
            #expect(meter.requests.count == 68)
            #expect(stripe.limited == 0)
            #expect(stripe.mostAtOnce == 2)
            #expect(stripe.reported.isEmpty)
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("two tenants with one customer are sent one after another")
    func sharedCustomer() async throws {
        try await withStripe { platform, meter, stripe in
            _ = try await platform.call("PUT", "/tenants/globex/usage-sink-customer", ["customer_id": "cus_acme"])
            try await platform.append(TestPlatform.recent(20, every: 60))
            try await platform.append(TestPlatform.recent(20, every: 60), of: platform.globex)
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 40])
            #expect((stripe.limited, stripe.mostAtOnce) == (0, 1))
        }
    }

    @Test("while one process sends, another sends nothing, and after the lease another continues with the same identifiers")
    func processes() async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(3, every: 60))
            try await platform.takeArrivals()
            let now = Date()
            // The first request waits without a response.
            meter.misbehave([.losesAnswer])
            let first = platform.sinkWorker(timeout: .seconds(15))
            async let slow = first.pass(at: now)
            try await eventually("the first has called") { meter.requests.count == 1 }
            #expect(try await platform.sinkWorker().pass(at: now + 60) == 0)
            #expect(meter.requests.count == 1)
            #expect(try await platform.sinkWorker().pass(at: now + 121) == 1)
            #expect(stripe.logins == ["cus_acme": 3])
            #expect(stripe.repetitions == 1)
            #expect(try await slow == 1)
            #expect(stripe.logins == ["cus_acme": 3])
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("after a crash the same logins go under the same identifier, and later ones under the next")
    func crash() async throws {
        struct Died: Error {}
        try await withStripe { platform, meter, stripe in
            let minute = TestPlatform.recent(3)
            try await platform.append(minute)
            try await platform.takeArrivals()
            let now = Date()
            // The process sends, and dies before it can record anything.
            _ = try await platform.ownerPool.run("REVOKE UPDATE (taken_at) ON usage_meter_event FROM espalier_server")
            await #expect(throws: (any Error).self) { try await platform.sinkWorker().pass(at: now) }
            #expect(stripe.logins == ["cus_acme": 3])
            #expect(try await platform.waiting() == 3)
            _ = try await platform.ownerPool.run("GRANT UPDATE (taken_at) ON usage_meter_event TO espalier_server")
            // Logins of the same minute that become visible now.
            try await platform.append(Array(minute.prefix(2)))
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: now + 121)
            #expect(stripe.logins == ["cus_acme": 5])
            #expect(stripe.repetitions == 1)
            #expect(Self.sequences(meter).sorted() == ["0", "0", "1"])
            let bodies = meter.requests.filter { $0.form?["identifier"]?.hasSuffix("-0") == true }.map(\.body)
            #expect(Set(bodies).count == 1)
            // And again after the second event was accepted.
            try await platform.append(Array(minute.prefix(1)))
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: now + 300)
            #expect(stripe.logins == ["cus_acme": 6])
            #expect(Set(stripe.counted.keys).count == 3)
        }
    }

    @Test("a minute is sent once, after all its logins are certainly visible")
    func settles() async throws {
        try await withStripe { platform, meter, stripe in
            let minute = TestPlatform.recent(1)[0]
            try await platform.append([minute, minute + 1])
            try await platform.takeArrivals()
            let worker = platform.sinkWorker(settling: 120)
            #expect(try await worker.pass(at: minute + 60 + 119) == 0)
            try await platform.append([minute + 2])
            try await platform.takeArrivals()
            #expect(try await worker.pass(at: minute + 60 + 120) == 1)
            #expect(stripe.logins == ["cus_acme": 3])
            #expect(meter.requests.count == 1)
        }
    }

    @Test("each login is counted once, for any crash and any order of visible logins")
    func deaths() async throws {
        try await withStripe { platform, meter, stripe in
            var now = Date()
            var chance = Chance(11)
            let times = TestPlatform.recent(4, every: 60)
            for round in 0..<12 {
                try await platform.append((0..<Int.random(in: 1...4, using: &chance)).map { _ in times.randomElement(using: &chance)! })
                try await platform.takeArrivals()
                meter.misbehave(MeterReceiver.Misdeed.allCases.filter { _ in Bool.random(using: &chance) }.shuffled(using: &chance))
                if round % 3 == 2 {
                    let dying = Task { [now] in try await platform.sinkWorker(timeout: .milliseconds(200)).pass(at: now) }
                    let calls = meter.requests.count
                    try await eventually("it calls, or has nothing to send") {
                        let waiting = try await platform.waiting()
                        return meter.requests.count > calls || waiting == 0
                    }
                    dying.cancel()
                    _ = try? await dying.value
                } else {
                    try await platform.sinkWorker(timeout: .milliseconds(200)).pass(at: now)
                }
                now += 1000
                stripe.set(now: now)
            }
            meter.misbehave([])
            try await platform.sinkWorker().pass(at: now)
            try await platform.sinkWorker().pass(at: now + 1000)
            #expect(try await platform.waiting() == 0)
            #expect(try await platform.setAside() == [0, 0])
            let ledger = try await platform.ledgerByCustomer()
            #expect(stripe.logins == ledger)
        }
    }

    // MARK: Limits

    @Test("after a temporary rate limit the event is sent again in the same pass, and the others follow")
    func limitedOnce() async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(10, every: 60))
            try await platform.takeArrivals()
            meter.misbehave([.refuses])
            #expect(try await platform.sinkWorker().pass(at: Date()) == 1)
            #expect(stripe.logins == ["cus_acme": 10])
            #expect(try await platform.shownSink()["last_failure"] == nil)
        }
    }

    @Test("Retry-After applies to that customer only, and for its full time", arguments: [429, 503])
    func retryAfter(status: Int) async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(3, every: 60))
            try await platform.append(TestPlatform.recent(3, every: 60), of: platform.globex)
            try await platform.takeArrivals()
            meter.refuse(["cus_acme"], status: status, retryAfter: "3600")
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            #expect(stripe.logins == ["cus_globex": 3])
            #expect(meter.requests.count == 4)
            // Other events of the customer wait too, and the other customer continues.
            meter.refuse([], status: 400)
            try await platform.append(TestPlatform.recent(1, since: 10_000))
            try await platform.append(TestPlatform.recent(1, since: 10_000), of: platform.globex)
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: now + 3590)
            #expect(stripe.logins == ["cus_globex": 4])
            try await platform.sinkWorker().pass(at: now + 3700)
            #expect(stripe.logins == ["cus_globex": 4, "cus_acme": 4])
        }
    }

    @Test("after progress nothing waits: unsent or failed events do not delay the rest")
    func progress() async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(12, every: 60))
            try await platform.takeArrivals()
            let now = Date()
            // Two events are accepted, then Stripe fails.
            meter.misbehave([.fails, .delays, .delays])
            try await platform.sinkWorker().pass(at: now)
            #expect(stripe.logins == ["cus_acme": 2])
            // The next pass follows without a wait, and without the failed event.
            try await platform.sinkWorker().pass(at: Date())
            #expect(try #require(stripe.logins["cus_acme"]) >= 11)
            try await platform.sinkWorker().pass(at: now + 60)
            #expect(stripe.logins == ["cus_acme": 12])
            // Without time nothing is sent, and this does not count as a failure.
            try await platform.append(TestPlatform.recent(1, since: 20_000))
            try await platform.takeArrivals()
            try await platform.sinkWorker(patience: .zero).pass(at: now + 70)
            #expect(stripe.logins == ["cus_acme": 12])
            try await platform.sinkWorker().pass(at: now + 80)
            #expect(stripe.logins == ["cus_acme": 13])
        }
    }

    @Test("without progress the waits grow, and a pass that ended for all customers sends nothing more")
    func noProgress() async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(30, every: 60))
            try await platform.takeArrivals()
            var now = Date()
            meter.refuse((401, ""))
            try await platform.sinkWorker().pass(at: now)
            #expect(meter.requests.count == 1)
            let failure = try #require(try await platform.shownSink()["last_failure"] as? [String: any Sendable])
            #expect(failure["status"] as? Int == 401)
            #expect(try await platform.sinkWorker().pass(at: now + 1) == 0)
            meter.refuse((503, ""))
            for _ in 1...12 {
                now += 1000
                try await platform.sinkWorker().pass(at: now)
            }
            #expect(try await platform.sinkWorker().pass(at: now + 300) == 0)
            #expect(meter.requests.count == 13)
            // A retry by the operator ends every wait.
            meter.refuse(nil)
            _ = try await platform.call("POST", TestPlatform.sinkPath + "/retry")
            try await platform.sinkWorker().pass(at: now + 301)
            #expect(stripe.logins == ["cus_acme": 30])
        }
    }

    @Test("a new sink uses no identifier again, and the former sink's events are deleted")
    func recreated() async throws {
        try await withStripe { platform, meter, stripe in
            let minute = TestPlatform.recent(2)
            try await platform.append(minute)
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date())
            try await platform.append(TestPlatform.recent(1, since: 20_000))
            try await platform.takeArrivals()
            #expect(try await platform.call("DELETE", TestPlatform.sinkPath).status == 204)
            try await platform.sink(to: meter, isStripe: true)
            try await platform.append(minute)
            try await platform.takeArrivals()
            #expect(try await platform.waiting() == 2)
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 4])
            #expect(Self.sequences(meter) == ["0", "1"])
            func rows() async throws -> Int {
                try await platform.ownerPool.run("SELECT count(*) AS n FROM usage_meter_event")[0].get("n")
            }
            #expect(try await rows() == 3)
            #expect(try await PlatformDatabase(platform.pool).run(MeterEvent.forget(at: Date(), limit: 10)).affected == 1)
            // The sequence is remembered as long as Stripe accepts events of the minute.
            let later = Date().addingTimeInterval(36 * 86400)
            #expect(try await PlatformDatabase(platform.pool).run(MeterEvent.forget(at: later, limit: 10)).affected == 2)
        }
    }

    @Test("Stripe's response to a repetition is recognized by its code or its message")
    func duplicates() {
        func reports(_ body: String) -> Bool { Stripe.reportsDuplicate(Array(body.utf8)) }
        #expect(reports(#"{"error":{"code":"duplicate_meter_event","message":"x"}}"#))
        #expect(reports(#"{"error":{"message":"An event already exists with identifier login_1."}}"#))
        #expect(!reports(#"{"error":{"message":"No meter has this name.","code":"x"}}"#))
        #expect(!reports(#"{"error":null}"#))
        #expect(!reports("An event already exists with identifier login_1."))
        #expect(!reports(""))
    }
}
