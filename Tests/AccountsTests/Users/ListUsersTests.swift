import Access
import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
@testable import Users
import Web

@Suite("List users")
struct ListUsersTests {
    private static let people: [(given: String?, family: String?, email: String?)] = [
        ("Ada", "Lovelace", "ada@example.com"), ("Grace", "Hopper", "Grace.Hopper@Example.com"), ("Per%cent", "Under_score", nil),
        ("Zoë", "Ångström", "zoe@example.org"), (nil, nil, "a_b@example.com"), ("Alan", nil, "alan@example.com"),
        ("Back\\slash", "X", "axb@example.com"),
    ]

    /// Adds people to Acme, oldest first. Returns their IDs.
    private static func add(_ platform: TestPlatform) async throws -> [String] {
        var ids: [String] = []
        for (number, person) in people.enumerated() {
            let now = Date(timeIntervalSince1970: 1_800_000_000 + Double(number))
            let id = ID<User>(at: now)
            ids.append(id.description)
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO tenant_user (tenant_id, id, given_name, family_name, email, email_verified, created_at, updated_at)
                VALUES (\(ID<Tenant>(platform.acme.id)), \(id), \(person.given), \(person.family), \(person.email), true, \(now), \(now))
                """)
        }
        return ids
    }

    private static func list(_ platform: TestPlatform, _ parameters: [(String, String)] = [], key: String? = nil) async throws
        -> TestBrowser.Answer
    {
        try await platform.call("GET", TestBrowser.Request.url("/tenants/acme/users", parameters), key: key)
    }

    @Test("it lists newest first, in pages, in both directions")
    func pages() async throws {
        try await TestPlatform.run { platform in
            let ids = Array(try await Self.add(platform).reversed())
            _ = try await platform.login("Grace Hopper", platform.globex)
            let all = try await Self.list(platform)
            #expect(all.status == 200)
            #expect(all.ids == ids)
            #expect(all.cursor("after") == nil)
            let first = try await Self.list(platform, [("limit", "3")])
            #expect(first.ids == Array(ids[..<3]))
            let second = try await Self.list(platform, [("limit", "3"), ("after", try #require(first.cursor("after")))])
            #expect(second.ids == Array(ids[3..<6]))
            let third = try await Self.list(platform, [("limit", "3"), ("after", try #require(second.cursor("after")))])
            #expect(third.ids == Array(ids[6...]))
            #expect(third.cursor("after") == nil)
            let back = try await Self.list(platform, [("limit", "3"), ("before", try #require(third.cursor("before")))])
            #expect(back.ids == Array(ids[3..<6]))
        }
    }

    @Test("a search matches the start of an address or any part of a name, in any case; no character is special")
    func search() async throws {
        try await TestPlatform.run { platform in
            let ids = try await Self.add(platform)
            let (ada, grace, percent, zoe, underscore, alan, backslash) = (ids[0], ids[1], ids[2], ids[3], ids[4], ids[5], ids[6])
            let cases: [(String, Set<String>)] = [
                ("ada", [ada]), ("ADA@EXAMPLE.COM", [ada]), ("ada@", [ada]), ("@example", []), ("grace.hopper@example", [grace]),
                ("hopp", [grace]), ("a lov", [ada]), ("ce hop", [grace]), ("ÅNGS", [zoe]), ("%", [percent]), ("_", [percent]),
                ("a_b@", [underscore]), ("a%", []), ("\\", [backslash]), ("a", [ada, grace, underscore, alan, backslash]),
                ("'; DROP TABLE tenant_user; --", []), ("nobody", []),
            ]
            for (search, found) in cases {
                let answer = try await Self.list(platform, [("search", search)])
                #expect(Set(answer.ids) == found, "\(search)")
            }
            // The middle of an address does not match.
            #expect(try await Self.list(platform, [("search", "example.com")]).ids == [])
        }
    }

    @Test("an address matches exactly its users, in any case")
    func email() async throws {
        try await TestPlatform.run { platform in
            let ids = try await Self.add(platform)
            #expect(try await Self.list(platform, [("email", "grace.hopper@example.com")]).ids == [ids[1]])
            #expect(try await Self.list(platform, [("email", "ADA@example.com"), ("search", "love")]).ids == [ids[0]])
            #expect(try await Self.list(platform, [("email", "ada@example.com"), ("search", "grace")]).ids == [])
            for none in ["ada@example.co", "%@example.com", "ada_example.com"] {
                #expect(try await Self.list(platform, [("email", none)]).ids == [])
            }
        }
    }

    /// Under row-level security, PostgreSQL uses an index only for leakproof functions. Nothing else shows the loss of the index.
    @Test("an index finds an address and its start, with the query of the server's role")
    func index() async throws {
        try await TestPlatform.run(on: .make()) { platform in
            _ = try await Self.add(platform)
            let tenant = try #require(ID<Tenant>(platform.acme.id)).uuid.uuidString
            for condition in ["email_key = lower('X')", "email_key >= lower('X') AND email_key < lower('X') || 'y'"] {
                let plan = try await platform.pool.run(
                    SQL(unsafe: "EXPLAIN SELECT id FROM tenant_user WHERE tenant_id = '\(tenant)' AND \(condition)"),
                    prelude: ["SELECT set_config('espalier.tenant', \(tenant.lowercased()), true)"]
                ).map { try $0.get("QUERY PLAN", as: String.self) }
                #expect(plan.contains { $0.contains("Index Cond") && $0.contains("email_key") }, "\(plan)")
            }
        }
    }

    @Test("a search has pages, too")
    func searchedPages() async throws {
        try await TestPlatform.run { platform in
            let ids = try await Self.add(platform)
            for search in ["a", "a@e"] {
                // The second search needs six such addresses.
                if search == "a@e" {
                    _ = try await platform.ownerPool.run("UPDATE tenant_user SET email = 'a@e' || id WHERE email IS NOT NULL")
                }
                let all = try await Self.list(platform, [("search", search)]).ids
                #expect(all.count >= 5)
                var (seen, after): ([String], String?) = ([], nil)
                repeat {
                    let page = try await Self.list(platform, [("search", search), ("limit", "2")] + (after.map { [("after", $0)] } ?? []))
                    seen += page.ids
                    after = page.cursor("after")
                } while after != nil && seen.count <= ids.count
                #expect(seen == all, "\(search)")
            }
        }
    }

    @Test("a user is shown with all known data; absent members are omitted")
    func shown() async throws {
        try await TestPlatform.run { platform in
            let login = try await platform.login("Grace Hopper")
            let user = try #require(try await Self.list(platform, key: platform.acme.api_keys[0].secret).data.first)
            #expect(user["id"] as? String == login.user)
            #expect(
                Set(user.keys) == [
                    "id", "object", "given_name", "family_name", "email", "email_verified", "is_private_email", "email_disabled", "status",
                    "created_at", "updated_at",
                ])
            #expect(user["email"] as? String == "grace-hopper@example.com")
            #expect(user["email_verified"] as? Bool == true)
            _ = try await platform.login("Katherine Johnson")
            #expect(try await Self.list(platform).data.first?["email"] == nil)
        }
    }

    @Test("an invalid parameter is refused by its name; an unauthenticated caller sees nothing")
    func refused() async throws {
        try await TestPlatform.run { platform in
            _ = try await Self.add(platform)
            for bad in [
                ("limit", "0"), ("limit", "101"), ("after", "x"), ("name", "x"), ("search", "a\u{0}b"), ("email", "a\nb"),
                ("search", String(repeating: "x", count: 321)),
            ] {
                let answer = try await Self.list(platform, [bad])
                #expect(answer.isProblem(400, "invalid"), "\(bad.0): \(answer.status) \(answer.body)")
            }
            #expect(try await Self.list(platform, key: platform.globex.api_keys[0].secret).isProblem(404, "not_found"))
            #expect(try await Self.list(platform, key: platform.acme.api_keys[1].secret).isProblem(403, "insufficient_scope"))
        }
    }
}
