import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit get organization")
struct AuthKitGetOrganizationTests {
    @Test("a key sees its own tenant by either prefix, and no other")
    func get() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            for id in [client.organization, platform.acme.id] {
                let answer = try await client.call("/organizations/\(id)")
                #expect(answer.status == 200, "\(answer.body)")
                #expect(answer.string("id") == client.organization)
                #expect(answer.string("name") == "Acme")
                #expect(answer.string("external_id") == "acme")
            }
            for id in [platform.globex.id, "org_00000000000000000000000000", "acme"] {
                #expect(try await client.call("/organizations/\(id)").isError(404, "entity_not_found"))
            }
        }
    }
}
