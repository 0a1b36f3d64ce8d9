import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit get organization by external ID")
struct AuthKitGetOrganizationByExternalIDTests {
    @Test("the external ID is the slug of the key's tenant")
    func get() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let own = try await client.call("/organizations/external_id/acme")
            #expect(own.string("id") == client.organization)
            let other = try await client.call("/organizations/external_id/globex")
            #expect(other.isError(404, "entity_not_found"))
        }
    }
}
