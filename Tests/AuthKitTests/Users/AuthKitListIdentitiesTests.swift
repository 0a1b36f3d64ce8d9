import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit list identities")
struct AuthKitListIdentitiesTests {
    @Test("the response is an array with Apple's identifier")
    func identities() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let login = try await client.login()
            let answer = try await client.call("/user_management/users/\(login.userID)/identities")
            #expect(answer.status == 200)
            let identities = try #require(
                try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [[String: String]], "\(answer.body)")
            #expect(identities.count == 1)
            #expect(identities.first?["provider"] == "AppleOAuth")
            #expect(identities.first?["type"] == "OAuth")
            let user = try await platform.call("GET", "/tenants/acme/users/\(login.userID)").json
            let subject = (user["identities"] as? [[String: any Sendable]])?.first?["subject"] as? String
            #expect(identities.first?["idp_id"] == subject)
            #expect(try await client.call("/user_management/users/user_x/identities").isError(404, "entity_not_found"))
        }
    }
}
