import Foundation
import Server
import Testing
import TestSupport

@Suite("Get rate card")
struct GetRateCardTests {
    @Test("operators see any version of a plan's card")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let made = try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard)
            let shown = try await platform.call("GET", "/rate-cards/\(made.resourceID)")
            #expect(shown.status == 200 && shown.json as NSDictionary == made.json as NSDictionary)
            #expect(shown.header("ETag") == made.header("ETag"))
            #expect(try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard).status == 201)
            #expect(try await platform.call("GET", "/rate-cards/\(made.resourceID)").json["version"] as? Int == 2)
        }
    }

    @Test("a tenant's card, an unknown card, a tenant's key and a missing scope are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let made = try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard)
            let path = "/rate-cards/\(made.resourceID)"
            #expect(try await platform.call("GET", path, key: platform.acme.api_keys[0].secret).problem == "operator_required")
            #expect(try await platform.call("GET", path, key: narrow).problem == "insufficient_scope")
            let own = try await platform.call("POST", "/tenants/acme/rate-cards", TestPlatform.ownCard)
            for id in [own.resourceID, "ratecard_00000000000000000000000000", "x"] {
                #expect(try await platform.call("GET", "/rate-cards/\(id)").problem == "not_found", "\(id)")
            }
        }
    }
}
