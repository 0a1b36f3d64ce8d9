import Foundation
import HTTPTypes
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing

@Suite("List usage sink differences")
struct ListUsageSinkDifferencesTests {
    @Test("logins that Stripe accepted and dropped later are in the log once, and in the list until they are counted")
    func vanished() async throws {
        try await withStripe(comparesPast: true) { platform, meter, stripe in
            // Its customer was deleted at Stripe since then.
            stripe.setCustomers(nil, deleted: ["cus_acme"])
            let times = TestPlatform.recent(4, since: 20_000)
            try await platform.append(times)
            try await platform.append(TestPlatform.recent(2, since: 20_000), of: platform.globex)
            try await platform.takeArrivals()
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            #expect(try await platform.sinkRows() == [0, 0, 0])
            #expect(stripe.reported == ["meter_event_customer_not_found"])
            let log = RecordedLog()
            #expect(try await platform.compareMeter(log: log).pass(at: now + 4000) == 2)
            let line = try #require(log.text.split(separator: "\n").first { $0.contains("Stripe's meter differs from the sent logins") })
            for fact in ["customer=cus_acme", "sent=4", "counted=0", platform.acme.id] { #expect(line.contains(fact)) }
            let difference = try #require(try await platform.meterDifferences().first)
            #expect(try await platform.meterDifferences().count == 1)
            #expect(difference["customer_id"] as? String == "cus_acme")
            #expect(difference["tenant_ids"] as? [String] == [platform.acme.id])
            #expect(difference["sent"] as? Int == 4 && difference["counted"] as? Int == 0)
            #expect(try await platform.comparison()["differences"] as? Int == 1)
            // The log message appears once. The next comparison is an hour later, or when an operator requests it.
            #expect(try await platform.compareMeter(log: log).pass(at: now + 5000) == 0)
            #expect(try await platform.compareMeter(log: log).pass(at: now + 8000) == 1)
            #expect(log.text.split(separator: "\n").count { $0.contains("Stripe's meter differs from the sent logins") } == 1)
            _ = try await platform.call("POST", TestPlatform.sinkPath + "/retry")
            // The operator has added the missing logins at Stripe.
            stripe.add(4, of: "cus_acme", at: times[0])
            #expect(try await platform.compareMeter().pass(at: now + 8100) == 1)
            #expect(try await platform.meterDifferences().isEmpty)
            #expect(try await platform.comparison()["unconfirmed"] as? Int == 0)
        }
    }

    @Test("a customer that Stripe does not have is reported, and the others are compared")
    func unknownCustomer() async throws {
        try await withStripe(comparesPast: true) { platform, meter, stripe in
            // Each ID was set while Stripe was not asked.
            stripe.setCustomers(["cus_globex"])
            try await platform.append(TestPlatform.recent(4, since: 20_000))
            try await platform.append(TestPlatform.recent(2, since: 20_000), of: platform.globex)
            try await platform.takeArrivals()
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            #expect(try await platform.compareMeter().pass(at: now + 4000) == 2)
            let differences = try await platform.meterDifferences()
            #expect(differences.map { $0["customer_id"] as? String } == ["cus_acme"])
            #expect(differences.first?["sent"] as? Int == 4 && differences.first?["counted"] as? Int == 0)
            #expect(try await platform.comparison()["last_compared_at"] != nil)
        }
    }

    @Test("only operators with the scope read the list, and an unknown parameter is refused")
    func refused() async throws {
        try await withStripe { platform, meter, stripe in
            let narrow = try await platform.narrowKey()
            let path = TestPlatform.sinkPath + "/differences"
            #expect(try await platform.call("GET", path).status == 200)
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("GET", path + "?customer=x").status == 400)
        }
    }
}
