@testable import Accounts
@testable import Encoding
import Foundation
import Server
@testable import Sessions
@testable import Signing
import Tenancy
import TestSupport
import Testing
@testable import Users

@Suite("List user deletions")
struct ListUserDeletionsTests {
    @Test("it lists newest first, in pages, filtered by user and status, and only this tenant's")
    func lists() async throws {
        try await withRestingOutbox { platform in
            var logins: [TestPlatform.LoggedIn] = []
            for person in ["Grace Hopper", "Alan Turing", "Ada Lovelace"] { logins.append(try await platform.login(person)) }
            let foreign = try await platform.login("Grace Hopper", platform.globex)
            for login in logins + [foreign] { try await platform.delete(login) }
            let path = "/tenants/acme/user-deletions"
            func users(_ query: String) async throws -> [String?] {
                let answer = try await platform.call("GET", path + query)
                #expect(answer.status == 200, "\(answer.body)")
                return answer.data.map { $0["user_id"] as? String }
            }
            let newest = logins.reversed().map(\.user)
            #expect(try await users("") == newest)
            #expect(try await users("?user=\(logins[1].user)") == [logins[1].user])
            #expect(try await users("?user=\(foreign.user)").isEmpty)
            let first = try await platform.call("GET", "\(path)?limit=2")
            let after = try #require(first.cursor("after"))
            #expect(try await users("?limit=2&after=\(after)") == [newest[2]])
            let last = try await platform.call("GET", "\(path)?limit=2&after=\(after)")
            #expect(try await users("?limit=2&before=\(try #require(last.cursor("before")))") == Array(newest[..<2]))

            try await platform.runRevocations()
            try await platform.delete(try await platform.login("Katherine Johnson"))
            #expect(try await users("?status=finished") == newest)
            #expect(try await users("?status=pending").count == 1)
            #expect(try await users("?status=pending&user=\(logins[0].user)").isEmpty)
            for query in ["?status=gone", "?user=x", "?user=\(platform.acme.id)", "?email=a"] {
                #expect(try await platform.call("GET", path + query).isProblem(400, "invalid"), "\(query)")
            }
        }
    }
}
