import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit update user")
struct AuthKitUpdateUserTests {
    @Test("external ID and metadata are stored, merged and removed, and the audit event has no values")
    func updated() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let user = try await client.login().userID
            let path = "/user_management/users/\(user)"
            let first = try await client.call("PUT", path, ["external_id": "ä/4711", "metadata": ["plan": "gold", "seats": "3"]])
            #expect(first.status == 200, "\(first.body)")
            #expect(first.string("external_id") == "ä/4711")
            #expect(first.json["metadata"] as? [String: String] == ["plan": "gold", "seats": "3"])
            let second = try await client.call("PUT", path, ["metadata": ["plan": "silver", "seats": NSNull()] as [String: any Sendable]])
            #expect(second.json["metadata"] as? [String: String] == ["plan": "silver"])
            #expect(second.string("external_id") == "ä/4711")
            #expect(try await client.call(path).body == second.body)
            #expect(try await client.call("/user_management/users").body.contains("ä/4711"))
            let third = try await client.call("PUT", path, ["metadata": NSNull(), "external_id": NSNull()])
            #expect(third.json["metadata"] as? [String: String] == [:])
            #expect(third.json["external_id"] is NSNull)
            #expect(try await client.call("PUT", path, [:]).status == 200)
            let audited = try await platform.audit(user)
            #expect(audited.map(\.action) == Array(repeating: "authKitUpdateUser", count: 3))
            #expect(!audited.contains { "\($0)".contains("gold") || "\($0)".contains("4711") })
        }
    }

    @Test("a value of another user gets 409, an invalid one and one of Apple's 422")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let (one, other) = (try await client.login().userID, try await client.login().userID)
            #expect(try await client.call("PUT", "/user_management/users/\(one)", ["external_id": "1"]).status == 200)
            let path = "/user_management/users/\(other)"
            #expect(try await client.call("PUT", path, ["external_id": "1"]).isError(409, "external_id_already_used"))
            let many = Dictionary(uniqueKeysWithValues: (0..<11).map { ("\($0)", "x") })
            for body: [String: any Sendable] in [
                ["email": "x@example.com"], ["first_name": "X"], ["external_id": ""], ["external_id": String(repeating: "x", count: 129)],
                ["metadata": "x"], ["metadata": ["x": 1]], ["metadata": many], ["metadata": ["": "x"]],
                ["metadata": ["x": String(repeating: "x", count: 601)]], ["nothing": 1],
            ] {
                #expect(try await client.call("PUT", path, body).isError(422, "invalid_request_parameters"), "\(body)")
            }
            #expect(try await client.call("PUT", "/user_management/users/user_x", [:]).isError(404, "entity_not_found"))
            // Each tenant has its own values.
            let globex = AuthKitClient(platform, platform.globex)
            let theirs = try await globex.login().userID
            #expect(try await globex.call("PUT", "/user_management/users/\(theirs)", ["external_id": "1"]).status == 200)
            #expect(try await globex.call("PUT", "/user_management/users/\(one)", ["external_id": "2"]).isError(404, "entity_not_found"))
        }
    }
}
