import Foundation
import Server
import Testing
import TestSupport

@Suite("Get tenant rate card")
struct GetTenantRateCardTests {
    @Test("a tenant sees its own card and the cards of plans")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.call("POST", "/tenants/acme/rate-cards", TestPlatform.ownCard)
            let plan = try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard)
            let key = platform.acme.api_keys[0].secret
            let shown = try await platform.call("GET", "/tenants/acme/rate-cards/\(made.resourceID)", key: key)
            #expect(shown.status == 200 && shown.json as NSDictionary == made.json as NSDictionary)
            #expect(shown.header("ETag") == made.header("ETag"))
            let read = try await platform.call("GET", "/tenants/acme/rate-cards/\(plan.resourceID)", key: key)
            #expect(read.status == 200 && read.json["plan"] as? String == "scale" && read.json["tenant_id"] == nil)
        }
    }

    @Test("another tenant's card, an unknown card and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.call("POST", "/tenants/acme/rate-cards", TestPlatform.ownCard)
            let path = "/tenants/acme/rate-cards/\(made.resourceID)"
            #expect(try await platform.call("GET", path, key: platform.globex.api_keys[0].secret).problem == "not_found")
            #expect(try await platform.call("GET", "/tenants/globex/rate-cards/\(made.resourceID)").problem == "not_found")
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[1].secret).problem == "insufficient_scope")
            #expect(try await platform.call("GET", "/tenants/acme/rate-cards/x").problem == "not_found")
        }
    }
}
