import Access
import Foundation
import HTTPTypes
@testable import Ledger
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing
import Web

@Suite("Set usage sink customer")
struct SetUsageSinkCustomerTests {
    @Test("a tenant without a customer waits without blocking others, and with null it is not sent")
    func customers() async throws {
        try await withMeter(isStripe: true) { platform, meter in
            let stripe = try #require(meter.stripe)
            try await platform.sink(to: meter, isStripe: true)
            _ = try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": "cus_acme"])
            try await platform.append(TestPlatform.recent(3))
            try await platform.append(TestPlatform.recent(2), of: platform.globex)
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 3])
            #expect(try await platform.waiting() == 2)
            #expect((try await platform.shownSink()["last_failure"] as? [String: any Sendable])?["error"] as? String == "no_customer")
            let set = try await platform.call("PUT", "/tenants/globex/usage-sink-customer", ["customer_id": "cus_globex"])
            #expect(set.json["customer_id"] as? String == "cus_globex")
            #expect(try await platform.sinkWorker().pass(at: Date()) == 1)
            #expect(stripe.logins == ["cus_acme": 3, "cus_globex": 2])
            #expect(try await platform.sinkRows() == [0, 0, 0])
            // The tenant is not billed at Stripe.
            let none = try await platform.call("PUT", "/tenants/globex/usage-sink-customer", ["customer_id": NSNull()])
            #expect(none.status == 200, "\(none.body)")
            #expect(none.body.contains("\"customer_id\":null"))
            try await platform.append(TestPlatform.recent(4), of: platform.globex)
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_acme": 3, "cus_globex": 2])
            #expect(try await platform.sinkRows() == [0, 0, 0])

            let list = try await platform.call("GET", TestPlatform.sinkPath + "/customers")
            #expect((list.json["data"] as? [[String: any Sendable]])?.count == 2)
            #expect(try await platform.call("DELETE", "/tenants/acme/usage-sink-customer").status == 204)
            #expect(try await platform.call("DELETE", "/tenants/acme/usage-sink-customer").status == 404)
        }
    }

    @Test("an event that may have been counted stays with its customer, and any other goes to the new one")
    func renamed() async throws {
        try await withStripe { platform, meter, stripe in
            try await platform.append(TestPlatform.recent(2, every: 60))
            try await platform.takeArrivals()
            // The first event is counted without a known result, and the second is not sent.
            meter.misbehave([.failsAfterwards])
            let now = Date()
            try await platform.sinkWorker().pass(at: now)
            #expect(stripe.logins == ["cus_acme": 1])
            _ = try await platform.call("PUT", "/tenants/acme/usage-sink-customer", ["customer_id": "cus_new"])
            try await platform.sinkWorker().pass(at: now + 60)
            #expect(stripe.logins == ["cus_acme": 1, "cus_new": 1])
            #expect(try await platform.sinkRows() == [0, 0, 0])
        }
    }

    @Test("an unknown customer at Stripe is refused with its name, and without a response nothing changes")
    func unknown() async throws {
        try await withStripe { platform, meter, stripe in
            stripe.setCustomers(["cus_acme", "cus_1-A"], deleted: ["cus_gone"])
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
            stripe.setCustomers(nil)
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

    @Test("only operators with the scope set a customer, each with an audit event")
    func operators() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/tenants/acme/usage-sink-customer"
            for (customer, status) in [("cus_1", 200), ("cus_2", 200)] {
                let set = try await platform.call("PUT", path, ["customer_id": customer])
                #expect(set.status == status && set.json["customer_id"] as? String == customer, "\(set.body)")
                #expect(set.json["id"] as? String == platform.acme.id)
            }
            let own = try await platform.call("PUT", path, key: platform.acme.api_keys[0].secret, ["customer_id": "cus_3"])
            #expect(own.problem == "operator_required")
            let lacking = try await platform.call("PUT", path, key: narrow, ["customer_id": "cus_3"])
            #expect(lacking.problem == "insufficient_scope")
            #expect(try await platform.call("PUT", "/tenants/initech/usage-sink-customer", ["customer_id": "cus_3"]).status == 404)
            #expect(try await platform.call("PUT", path, [:]).refusedFields == ["customer_id"])
            let trail = try await platform.auditTrail(of: "setUsageSinkCustomer")
            #expect(trail.map(\.subject) == [platform.acme.id, platform.acme.id])
            #expect(trail.first?.text.contains("cus_1") == true && trail.last?.text.contains("cus_2") == true)
        }
    }
}
