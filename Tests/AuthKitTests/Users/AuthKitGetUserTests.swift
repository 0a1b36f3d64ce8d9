import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit get user")
struct AuthKitGetUserTests {
    @Test("the user is the one of the session; another tenant's user does not exist")
    func user() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let login = try await client.login(person: "Ada Lovelace")
            let answer = try await client.call("/user_management/users/\(login.userID)")
            #expect(answer.status == 200)
            #expect(login.body.contains(answer.body), "\(answer.body)")
            for id in ["user_00000000000000000000000000", "x"] {
                #expect(try await client.call("/user_management/users/\(id)").isError(404, "entity_not_found"))
            }
            let other = AuthKitClient(platform, platform.globex)
            #expect(try await other.call("/user_management/users/\(login.userID)").isError(404, "entity_not_found"))
        }
    }
}
