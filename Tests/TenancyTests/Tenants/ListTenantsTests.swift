import Postgres
import Server
import TestSupport
import Testing

@Suite("List tenants")
struct ListTenantsTests {
    private static func slugs(_ platform: TestPlatform, _ query: String) async throws -> [String] {
        let answer = try await platform.call("GET", "/tenants\(query)")
        #expect(answer.status == 200, "\(query): \(answer.body)")
        return (answer.json["data"] as? [[String: any Sendable]] ?? []).compactMap { $0["slug"] as? String }
    }

    @Test("the list filters by status, plan and slug, and purged tenants are included only on request")
    func filters() async throws {
        try await TestPlatform.run { platform in
            for (slug, plan) in [("initech", "scale"), ("hooli", "free"), ("umbrella", "free")] {
                #expect(try await platform.call("POST", "/tenants", ["slug": slug, "name": slug, "plan": plan]).status == 201)
            }
            _ = try await platform.call("POST", "/tenants/hooli/suspend")
            _ = try await platform.call("DELETE", "/tenants/initech?confirm=initech")
            _ = try await platform.ownerPool.run("UPDATE tenant SET status = 'purged' WHERE slug = 'umbrella'")
            #expect(Set(try await Self.slugs(platform, "")) == ["acme", "globex", "initech", "hooli"])
            #expect(try await Self.slugs(platform, "").first == "hooli")
            #expect(try await Self.slugs(platform, "?status=suspended") == ["hooli"])
            #expect(try await Self.slugs(platform, "?status=deleted") == ["initech"])
            #expect(try await Self.slugs(platform, "?status=purged") == ["umbrella"])
            #expect(Set(try await Self.slugs(platform, "?plan=free")) == ["globex", "hooli"])
            #expect(try await Self.slugs(platform, "?plan=free&status=active") == ["globex"])
            #expect(try await Self.slugs(platform, "?slug=acme") == ["acme"])
            #expect(try await Self.slugs(platform, "?slug=umbrella") == [])
            #expect(try await Self.slugs(platform, "?slug=unknown") == [])
        }
    }

    @Test("the pages contain each tenant once, in both directions")
    func pages() async throws {
        try await TestPlatform.run { platform in
            for number in 0..<5 { _ = try await platform.call("POST", "/tenants", ["slug": "t\(number)", "name": "T"]) }
            let all = try await Self.slugs(platform, "")
            #expect(all.count == 7)
            var (seen, query): ([String], String?) = ([], "?limit=3")
            var pages: [(slugs: [String], before: String?)] = []
            while let current = query {
                let answer = try await platform.call("GET", "/tenants\(current)")
                let page = (answer.json["data"] as? [[String: any Sendable]] ?? []).compactMap { $0["slug"] as? String }
                let metadata = try #require(answer.json["list_metadata"] as? [String: any Sendable])
                seen += page
                pages.append((page, metadata["before"] as? String))
                query = (metadata["after"] as? String).map { "?limit=3&after=\($0)" }
            }
            #expect(seen == all)
            #expect(pages.map(\.slugs.count) == [3, 3, 1])
            let before = try #require(pages[2].before)
            #expect(try await Self.slugs(platform, "?limit=3&before=\(before)") == pages[1].slugs)
        }
    }

    @Test("a mistyped, empty or unknown filter is refused with its name and never shows everything")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for (query, field) in [
                ("?status=gone", "status"), ("?plan=gold", "plan"), ("?slug=Acme", "slug"), ("?slug=", "slug"), ("?state=active", "state"),
                ("?limit=101", "limit"), ("?limit=0", "limit"), ("?after=x", "after"),
            ] {
                let answer = try await platform.call("GET", "/tenants\(query)")
                #expect(answer.status == 400, "\(query)")
                #expect((answer.json["errors"] as? [[String: String]])?.compactMap { $0["field"] } == [field], "\(query)")
            }
        }
    }

    @Test("only operators with the scope see the list")
    func strangers() async throws {
        try await TestPlatform.run { platform in
            let tenant = try await platform.call("GET", "/tenants", key: platform.acme.api_keys[0].secret)
            #expect((tenant.status, tenant.json["code"] as? String) == (403, "operator_required"))
            try await platform.limitOperator(to: ["tenants:write"])
            try await eventually("the change of scopes is in effect") { try await platform.call("GET", "/tenants").status == 403 }
        }
    }
}
