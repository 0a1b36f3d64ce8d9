import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit delete API key")
struct AuthKitDeleteAPIKeyTests {
    @Test("the key ends by either form of its ID, with the audit event of revokeAPIKey")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            for prefix in ["api_key_", "apikey_"] {
                let issued = try await platform.issue()
                let id = prefix + issued.resourceID.dropFirst("apikey_".count)
                for _ in 0..<2 { #expect(try await client.call("DELETE", "/api_keys/\(id)").status == 204) }
                #expect(try await !platform.letsIn(issued.string("secret") ?? ""))
                #expect(try await platform.audit(issued.resourceID).map(\.action) == ["issueAPIKey", "revokeAPIKey"])
            }
            for id in ["x", "api_key_00000000000000000000000000", platform.globex.api_keys[0].id] {
                #expect(try await client.call("DELETE", "/api_keys/\(id)").isError(404, "entity_not_found"), "\(id)")
            }
        }
    }
}
