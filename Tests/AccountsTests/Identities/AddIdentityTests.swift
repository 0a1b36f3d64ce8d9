import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("Add identity")
struct AddIdentityTests {
    /// Apple's `sub` of a user's only identity.
    private static func subject(of user: String, _ platform: TestPlatform) async throws -> String {
        let list = try await platform.call("GET", "/tenants/acme/users/\(user)/identities")
        return try #require(list.data.first?["subject"] as? String)
    }

    @Test("a person whose identity was added signs in as this user, by team or by connection")
    func added() async throws {
        try await TestPlatform.run { platform in
            try await platform.subscribe(platform.acme)
            let (ada, grace) = (try await platform.login("Ada Lovelace"), try await platform.login("Grace Hopper"))
            let alan = try await platform.login("Alan Turing")
            let path = "/tenants/acme/users/\(ada.user)/identities"
            let members: [String: any Sendable] = ["team_id": platform.own.team]
            let connection: [String: any Sendable] = ["connection_id": try await platform.ownConnection()]
            for (other, members) in [(grace, members), (alan, connection)] {
                let subject = try await Self.subject(of: other.user, platform)
                #expect(try await platform.call("DELETE", "/tenants/acme/users/\(other.user)").status == 204)
                let answer = try await platform.call("POST", path, members.merging(["subject": subject]) { $1 })
                #expect(answer.status == 201, "\(answer.body)")
                #expect(answer.string("subject") == subject && answer.string("team_id") == platform.own.team)
                // Nobody has signed in with it yet.
                #expect(answer.string("last_login_at") == nil)
                #expect(answer.header("Location") == "/v1\(path)/\(answer.resourceID)")
            }
            // A revocation during the sign-in would end it.
            try await eventually("Apple has confirmed it") { try await platform.audited("revokeAtApple").count == 2 }
            #expect(try await platform.login("Grace Hopper").user == ada.user)
            #expect(try await platform.login("Alan Turing").user == ada.user)
            // The first sign-in with it stores Apple's refresh token.
            #expect(try await platform.count("identity", where: "sealed_refresh_token IS NULL OR is_asserted") == 0)
            #expect(try await platform.user(ada.user)?.givenName == "Ada")

            let audited = try await platform.audited("addIdentity")
            #expect(audited.map(\.subject) == [ada.user, ada.user])
            #expect(audited.first?.after["team_id"] as? String == platform.own.team)
            #expect(try await platform.events("user.identity_added").map { $0["user_id"] as? String } == [ada.user, ada.user])
        }
    }

    @Test("an identity that a user has gets 409, and no user changes")
    func taken() async throws {
        try await TestPlatform.run { platform in
            let (ada, grace) = (try await platform.login("Ada Lovelace"), try await platform.login("Grace Hopper"))
            let subject = try await Self.subject(of: grace.user, platform)
            for user in [ada.user, grace.user] {
                let answer = try await platform.call(
                    "POST", "/tenants/acme/users/\(user)/identities", ["team_id": platform.own.team, "subject": subject])
                #expect(answer.isProblem(409, "already_exists"), "\(answer.body)")
            }
            #expect(try await platform.count("identity") == 2)
            #expect(try await platform.login("Grace Hopper").user == grace.user)
            #expect(try await platform.audited("addIdentity").isEmpty)
        }
    }

    @Test("wrong members, a foreign team or connection, and a deleted user are refused")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let ada = try await platform.login("Ada Lovelace")
            let (path, team) = ("/tenants/acme/users/\(ada.user)/identities", platform.own.team)
            let shared = try await platform.call("GET", "/platform/connection").resourceID
            for body in [
                [:], ["subject": "001"], ["team_id": team], ["team_id": team, "subject": ""], ["team_id": team, "subject": "a b"],
                ["team_id": team, "subject": "0\u{301}01"], ["team_id": team, "subject": "001\u{200D}"],
                ["team_id": team, "subject": String(repeating: "0", count: 256)], ["team_id": "A1B2C3D4E5", "subject": "001"],
                ["team_id": platform.shared.team, "subject": "001"], ["connection_id": shared, "subject": "001"],
                ["connection_id": "connection_x", "subject": "001"],
                ["team_id": team, "connection_id": try await platform.ownConnection(), "subject": "001"],
                ["team_id": team, "subject": "001", "user_id": ada.user],
            ] as [[String: any Sendable]] {
                let answer = try await platform.call("POST", path, body)
                #expect(answer.isProblem(400, "invalid"), "\(body) \(answer.body)")
            }
            let unknown = "/tenants/acme/users/\(ID<User>(at: Date()))/identities"
            #expect(try await platform.call("POST", unknown, ["team_id": team, "subject": "001"]).isProblem(404, "not_found"))
            _ = try await platform.ownerPool.run("UPDATE tenant_user SET deleted_at = now(), erase_after = now()")
            #expect(try await platform.call("POST", path, ["team_id": team, "subject": "001"]).isProblem(409, "conflict"))
            #expect(try await platform.count("identity") == 1)
        }
    }

    @Test("a user has at most 20 identities")
    func limit() async throws {
        try await TestPlatform.run { platform in
            let ada = try await platform.login("Ada Lovelace")
            for number in 1...20 {
                let answer = try await platform.call(
                    "POST", "/tenants/acme/users/\(ada.user)/identities", ["team_id": platform.own.team, "subject": "00\(number)"])
                #expect(answer.status == (number < 20 ? 201 : 409), "\(number) \(answer.body)")
            }
        }
    }
}
