import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit list sessions")
struct AuthKitListSessionsTests {
    @Test("the active sessions have the sid of their tokens, without the proof that the logout needs")
    func sessions() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            let (first, second) = (try await client.login(person: "Grace Hopper"), try await client.login(person: "Grace Hopper"))
            #expect(first.userID == second.userID)
            let sids = try [second, first].map { try claims(of: $0.accessToken)["sid"] as? String ?? "" }
            let ids = sids.map { String($0.prefix("session_".count + 52)) }
            let path = "/user_management/users/\(first.userID)/sessions"
            let answer = try await client.call(path)
            #expect(answer.ids == ids, "\(answer.body)")
            let shown = try #require((answer.json["data"] as? [[String: any Sendable]])?.first)
            #expect(shown["status"] as? String == "active")
            #expect(shown["organization_id"] as? String == client.organization)
            #expect(shown["ended_at"] is NSNull)
            let page = try await client.call("\(path)?limit=1")
            #expect(page.ids == [ids[0]])
            #expect(try await client.call("\(path)?limit=1&after=\(page.cursor("after") ?? "")").ids == [ids[1]])
            _ = try await client.logout([("session_id", sids[0])])
            #expect(try await client.call(path).ids == [ids[1]])
            #expect(try await client.call("/user_management/users/user_x/sessions").isError(404, "entity_not_found"))
        }
    }
}
