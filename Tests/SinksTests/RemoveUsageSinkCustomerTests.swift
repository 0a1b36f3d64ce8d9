import Foundation
import Server
import Testing
import TestSupport

@Suite("Remove usage sink customer")
struct RemoveUsageSinkCustomerTests {
    @Test("without its customer, a tenant's logins wait, and with a new one they are sent")
    func removed() async throws {
        try await withStripe { platform, meter, stripe in
            let path = "/tenants/acme/usage-sink-customer"
            #expect(try await platform.call("DELETE", path).status == 204)
            try await platform.append(TestPlatform.recent(2))
            try await platform.append(TestPlatform.recent(1), of: platform.globex)
            try await platform.takeArrivals()
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_globex": 1])
            #expect(try await platform.waiting() == 2)
            #expect(try await platform.call("PUT", path, ["customer_id": "cus_new"]).status == 200)
            try await platform.sinkWorker().pass(at: Date())
            #expect(stripe.logins == ["cus_globex": 1, "cus_new": 2])
            let trail = try await platform.auditTrail(of: "removeUsageSinkCustomer")
            #expect(trail.map(\.subject) == [platform.acme.id])
            #expect(trail.first?.text.contains("cus_acme") == true)
        }
    }

    @Test("a tenant's key, a missing scope, an unknown tenant and a tenant without a customer are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/tenants/acme/usage-sink-customer"
            #expect(try await platform.call("DELETE", path).problem == "not_found")
            #expect(try await platform.call("PUT", path, ["customer_id": "cus_1"]).status == 200)
            #expect(try await platform.call("DELETE", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("DELETE", path, key: narrow).problem == "insufficient_scope")
            #expect(try await platform.call("DELETE", "/tenants/initech/usage-sink-customer").problem == "not_found")
            #expect(try await platform.auditTrail(of: "removeUsageSinkCustomer").isEmpty)
            #expect(try await platform.call("DELETE", path).status == 204)
        }
    }
}
