import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit get membership")
struct AuthKitGetMembershipTests {
    @Test("the membership of a user, and no other")
    func get() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let user = try await client.login().userID
            let id = "om_" + user.dropFirst("user_".count)
            let root = "/user_management/organization_memberships"
            let answer = try await client.call("\(root)/\(id)")
            #expect(answer.status == 200)
            #expect(answer.string("user_id") == user)
            for other in ["om_00000000000000000000000000", "x"] {
                #expect(try await client.call("\(root)/\(other)").isError(404, "entity_not_found"))
            }
            #expect(try await client.call("\(root)/\(id)", key: platform.globex.api_keys[0].secret).isError(404, "entity_not_found"))
        }
    }
}
