import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Users

@Suite("List identities")
struct ListIdentitiesTests {
    @Test("it lists each Apple Account once, page by page, as the user's details do")
    func listed() async throws {
        try await Linking.run { linking in
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            let path = "/tenants/acme/users/\(linking.owner.user)"
            let all = try await linking.platform.call("GET", "\(path)/identities", key: linking.platform.acme.api_keys[0].secret)
            #expect(all.status == 200 && all.data.count == 2)
            #expect(Set(all.data.compactMap { $0["object"] as? String }) == ["identity"])
            #expect(Set(all.data.compactMap { $0["team_id"] as? String }) == [linking.platform.own.team])
            #expect(Set(all.data.compactMap { $0["subject"] as? String }).count == 2)
            let shown = try await linking.platform.call("GET", path)
            let identities = try #require(shown.json["identities"] as? [[String: any Sendable]])
            #expect(Set(identities.compactMap { $0["id"] as? String }) == Set(all.ids))

            let first = try await linking.platform.call("GET", "\(path)/identities?limit=1")
            let next = try await linking.platform.call("GET", "\(path)/identities?limit=1&after=\(first.cursor("after") ?? "")")
            #expect(first.ids + next.ids == all.ids && next.cursor("after") == nil)
            let back = try await linking.platform.call("GET", "\(path)/identities?limit=1&before=\(next.cursor("before") ?? "")")
            #expect(back.ids == first.ids)
        }
    }

    @Test("an identity of an older version has an ID that stays the same, and finds it")
    func older() async throws {
        try await Linking.run { linking in
            #expect(try await linking.user(linking.link(linking.page())) == linking.owner.user)
            _ = try await linking.platform.ownerPool.run("UPDATE identity SET id = NULL")
            let path = "/tenants/acme/users/\(linking.owner.user)/identities"
            let ids = try await linking.platform.call("GET", path).ids
            #expect(ids.count == 2 && Set(ids).count == 2)
            #expect(try await linking.platform.call("GET", path).ids == ids)
            #expect(try await linking.platform.call("DELETE", "\(path)/\(ids[0])").status == 204)
            #expect(try await linking.platform.call("GET", path).ids == [ids[1]])
        }
    }

    @Test("an unknown user, and one of another tenant, get 404")
    func refused() async throws {
        try await TestPlatform.run { platform in
            let other = try await platform.login("new", platform.globex)
            for user in [other.user, ID<User>(at: Date()).description, "user_x"] {
                #expect(try await platform.call("GET", "/tenants/acme/users/\(user)/identities").isProblem(404, "not_found"))
            }
        }
    }
}
