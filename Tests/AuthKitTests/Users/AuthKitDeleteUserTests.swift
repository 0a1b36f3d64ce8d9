import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit delete user")
struct AuthKitDeleteUserTests {
    @Test("the user and its sessions end, with the audit event of deleteUser")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let login = try await client.login()
            #expect(try await client.call("DELETE", "/user_management/users/\(login.userID)").status == 204)
            #expect(try await client.call("/user_management/users/\(login.userID)").status == 404)
            #expect(try await client.call("DELETE", "/user_management/users/\(login.userID)").isError(404, "entity_not_found"))
            #expect(try await client.refresh(login.string("refresh_token")).isOAuthError(400, "invalid_grant"))
            #expect(try await platform.audit(login.userID).map(\.action) == ["deleteUser"])
        }
    }
}
