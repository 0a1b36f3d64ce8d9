import Foundation
import Server
import Testing
import TestSupport

@Suite("AuthKit list users")
struct AuthKitListUsersTests {
    @Test("pages lead through all users in both orders and directions")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            var users: [String] = []
            for _ in 0..<5 { users.append(try await client.login().userID) }
            for (order, expected) in [("desc", Array(users.reversed())), ("asc", users)] {
                func page(_ query: String) async throws -> TestBrowser.Answer {
                    try await client.call("GET", "/user_management/users?limit=2&order=\(order)\(query)")
                }
                let first = try await page("")
                #expect(first.ids == Array(expected[..<2]), "\(first.body)")
                #expect(first.cursor("before") == nil)
                let second = try await page("&after=\(first.cursor("after") ?? "")")
                #expect(second.ids == Array(expected[2..<4]))
                let third = try await page("&after=\(second.cursor("after") ?? "")")
                #expect(third.ids == Array(expected[4...]))
                #expect(third.cursor("after") == nil)
                let back = try await page("&before=\(third.cursor("before") ?? "")")
                #expect(back.ids == second.ids)
                let start = try await page("&before=\(back.cursor("before") ?? "")")
                #expect(start.ids == first.ids)
                #expect(start.cursor("before") == nil)
            }
            let all = try await client.call("/user_management/users?organization_id=\(client.organization)")
            #expect(all.ids == users.reversed())
            let email = try #require((all.json["data"] as? [[String: any Sendable]])?.first?["email"] as? String)
            #expect(try await client.call("/user_management/users?email=\(email.uppercased())").ids.contains(users[4]))
            #expect(try await client.call("/user_management/users?organization_id=\(platform.globex.id)").ids == [])
            let last = (all.json["data"] as? [[String: any Sendable]])?.compactMap { $0["last_sign_in_at"] as? String }
            #expect(last?.count == 5)
        }
    }

    @Test("in the order normal, the newest come first, and a page before an element has older ones")
    func normal() async throws {
        try await TestPlatform.run { platform in
            let client = AuthKitClient(platform)
            var users: [String] = []
            for _ in 0..<5 { users.insert(try await client.login().userID, at: 0) }
            func page(_ query: String) async throws -> TestBrowser.Answer {
                try await client.call("GET", "/user_management/users?limit=2&order=normal\(query)")
            }
            let newest = try await page("")
            #expect(newest.ids == Array(users[..<2]) && newest.cursor("after") == nil, "\(newest.body)")
            let older = try await page("&before=\(newest.cursor("before") ?? "")")
            #expect(older.ids == Array(users[2..<4]), "\(older.body)")
            #expect(try await page("&before=\(older.cursor("before") ?? "")").ids == Array(users[4...]))
            #expect(try await page("&after=\(older.cursor("after") ?? "")").ids == newest.ids)
            // A list in memory.
            let uris = "/user_management/redirect_uris?limit=1&order=normal"
            let first = try await client.call(uris)
            let second = try await client.call("\(uris)&before=\(first.cursor("before") ?? "")")
            #expect(first.ids.count == 1 && second.ids.count == 1 && first.ids != second.ids && first.cursor("after") == nil)
            #expect(try await client.call("\(uris)&after=\(second.cursor("after") ?? "")").ids == first.ids)
        }
    }

    @Test("an invalid parameter gets 422 with its name", arguments: ["limit=0", "limit=101", "order=up", "after=x", "nothing=1"])
    func invalid(query: String) async throws {
        try await TestPlatform.run { platform in
            let answer = try await AuthKitClient(platform).call("/user_management/users?\(query)")
            #expect(answer.isError(422, "invalid_request_parameters"), "\(answer.body)")
            let fields = (answer.json["errors"] as? [[String: String]])?.compactMap { $0["field"] }
            #expect(fields == [String(query.prefix { $0 != "=" })])
        }
    }
}
