import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit get user by external ID")
struct AuthKitGetUserByExternalIDTests {
    @Test("a user is found by exactly its external ID, until the user is deleted")
    func found() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let user = try await client.login().userID
            _ = try await client.call("PUT", "/user_management/users/\(user)", ["external_id": "a/b c%+ä"])
            let path = "/user_management/users/external_id/a%2Fb%20c%25%2B%C3%A4"
            #expect(try await client.call(path).string("id") == user)
            for other in ["a%2Fb%20c%25%2B%C3%A4x", "a", "%00", String(repeating: "x", count: 129)] {
                let answer = try await client.call("/user_management/users/external_id/\(other)")
                #expect(answer.isError(404, "entity_not_found"), "\(other): \(answer.status) \(answer.body)")
            }
            #expect(try await client.call(path, key: platform.globex.api_keys[0].secret).isError(404, "entity_not_found"))
            _ = try await client.call("DELETE", "/user_management/users/\(user)")
            #expect(try await client.call(path).isError(404, "entity_not_found"))
        }
    }
}
