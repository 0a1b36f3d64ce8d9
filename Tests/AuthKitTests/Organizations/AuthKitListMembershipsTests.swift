import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit list memberships")
struct AuthKitListMembershipsTests {
    @Test("each user is an active member of the tenant")
    func list() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let users = [try await client.login().userID, try await client.login().userID]
            let members = users.reversed().map { "om_" + $0.dropFirst("user_".count) }
            let root = "/user_management/organization_memberships"
            #expect(try await client.call("\(root)?organization_id=\(client.organization)").ids == members)
            #expect(try await client.call("\(root)?organization_id=\(client.organization)&statuses=active,pending").ids == members)
            let page = try await client.call("\(root)?organization_id=\(client.organization)&limit=1")
            #expect(page.ids == [members[0]])
            #expect(
                try await client.call("\(root)?organization_id=\(client.organization)&after=\(page.cursor("after") ?? "")").ids
                    == [members[1]])
            let one = try await client.call("\(root)?user_id=\(users[0])")
            #expect(one.ids == [members[1]])
            let shown = try #require((one.json["data"] as? [[String: any Sendable]])?.first)
            #expect((shown["role"] as? [String: String])?["slug"] == "member")
            #expect((shown["user"] as? [String: any Sendable])?["id"] as? String == users[0])
            for query in [
                "user_id=user_x", "organization_id=\(platform.globex.id)", "user_id=\(users[0])&statuses=inactive",
                "user_id=\(users[0])&organization_id=\(platform.globex.id)",
            ] { #expect(try await client.call("\(root)?\(query)").ids == [], "\(query)") }
            #expect(try await client.call(root).isError(422, "invalid_request_parameters"))
        }
    }
}
