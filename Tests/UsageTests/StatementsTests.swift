import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
@testable import Sinks
import Tenancy
import TestSupport
import Testing

/// Closed months as callers see them.
@Suite("Statements")
struct StatementsTests {
    /// January and February of both tenants.
    private static func run(_ body: @Sendable @escaping (TestPlatform) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            for tenant in [platform.acme, platform.globex] {
                try await platform.plans([("2026-01-01T00:00:00Z", .free)], of: tenant)
                try await platform.append([try moment("2026-01-05T00:00:00Z"), try moment("2026-01-06T00:00:00Z")], of: tenant)
            }
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 4)
            try await body(platform)
        }
    }

    @Test("the lines add up to the total, and the statement is found by its ID and by its month")
    func get() async throws {
        try await Self.run { platform in
            let byMonth = try await platform.statement("2026-01")
            #expect(byMonth.status == 200)
            #expect(byMonth.json["tenant_id"] as? String == platform.acme.id)
            #expect(byMonth.json["period"] as? String == "2026-01")
            #expect(byMonth.json["closed_at"] as? String == "2026-03-02T00:00:00Z")
            let id = try #require(byMonth.json["id"] as? String)
            #expect(id.hasPrefix("statement_"))
            #expect(try await platform.statement(id).json as NSDictionary == byMonth.json as NSDictionary)
            let lines = try #require(byMonth.json["lines"] as? [[String: any Sendable]])
            let totals = try #require(byMonth.json["totals"] as? [[String: any Sendable]])
            #expect(lines.reduce(0) { $0 + ($1["amount_micros"] as! Int) } == totals[0]["amount_micros"] as? Int)
            #expect(totals[0]["amount"] as? String == "0.01")
            #expect(totals[0]["currency"] as? String == "USD")
        }
    }

    @Test("the list starts with the newest month, has pages and contains no lines")
    func list() async throws {
        try await Self.run { platform in
            let key = platform.acme.api_keys[0].secret
            let first = try await platform.call("GET", "/tenants/acme/statements?limit=1", key: key)
            let data = try #require(first.json["data"] as? [[String: any Sendable]])
            #expect(data.map { $0["period"] as? String } == ["2026-02"])
            #expect(data[0]["lines"] == nil)
            let after = try #require((first.json["list_metadata"] as? [String: any Sendable])?["after"] as? String)
            let second = try await platform.call("GET", "/tenants/acme/statements?limit=1&after=\(after)", key: key)
            #expect((second.json["data"] as? [[String: any Sendable]])?.map { $0["period"] as? String } == ["2026-01"])
        }
    }

    @Test("operators list all tenants' statements of a month")
    func all() async throws {
        try await Self.run { platform in
            let listed = try await platform.call("GET", "/platform/statements?period=2026-01")
            let slugs = (listed.json["data"] as? [[String: any Sendable]])?.compactMap { $0["tenant_slug"] as? String }
            #expect(slugs?.sorted() == ["acme", "globex"])
            for query in ["", "?period=2026", "?period=2026-13", "?period=2026-01-01"] {
                #expect(try await platform.call("GET", "/platform/statements\(query)").status == 400)
            }
            let own = try await platform.call("GET", "/platform/statements?period=2026-01", key: platform.acme.api_keys[0].secret)
            #expect(own.status == 403)
        }
    }

    @Test("another tenant's statement, one that is being closed and any other name are not found")
    func absent() async throws {
        try await Self.run { platform in
            let foreign = try #require(try await platform.statement("2026-01", of: platform.globex).json["id"] as? String)
            let acme = ID<Tenant>(platform.acme.id)!
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
                VALUES (\(acme), '2026-03-01', \(UUID()), 'acme', 'Acme', now(), now())
                """)
            for name in [foreign, "2026-03", "2027-01", "2026-1", "x", "statement_00000000000000000000000000"] {
                for page in ["", "/page"] { #expect(try await platform.statement(name + page).status == 404, "\(name)") }
            }
            let lacking = try await platform.call("GET", "/tenants/acme/statements", key: platform.acme.api_keys[1].secret)
            #expect(lacking.json["code"] as? String == "insufficient_scope")
        }
    }

    @Test("the page shows the same data, escaped, and loads nothing")
    func page() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.rateCard(from: "2026-01-01", baseFee: 49_000_000, tiers: [(1000, 5000), (nil, 4000)])
            try await platform.append([try moment("2026-01-05T00:00:00Z"), try moment("2026-01-06T00:00:00Z")])
            _ = try await platform.ownerPool.run("UPDATE tenant SET name = '<script>alert(1)</script>' WHERE slug = 'acme'")
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            let page = try await platform.statement("2026-01/page")
            #expect(page.status == 200)
            #expect(page.header("Content-Type") == "text/html; charset=utf-8")
            #expect(page.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
            #expect(!page.body.contains("<script"))
            #expect(page.body.contains("&lt;script&gt;alert(1)&lt;/script&gt; (acme)"))
            for text in [
                "own, version 2", "31 days", "49.00 USD", "Logins 1 to 2", "0.005", "0.01 USD", "49.01 USD", "2026-01-01 to 2026-01-31",
            ] {
                #expect(page.body.contains(text), "\(text)")
            }
            let digest = try #require(try await platform.statement("2026-01").json["digest"] as? String)
            #expect(page.body.contains(digest))
            for scheme in ["http:", "https:"] { #expect(!page.body.contains(scheme)) }
            #expect(page.body.contains("covers 2 events"))
        }
    }

    @Test("each line names the owner of its rate card, because versions of a plan and a tenant can be equal")
    func whose() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.rateCard(version: 1, from: "2026-01-16", tiers: [(nil, 4000)])
            try await platform.append([try moment("2026-01-05T00:00:00Z")])
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            let lines = try #require(try await platform.statement("2026-01").json["lines"] as? [[String: any Sendable]])
            #expect(lines.map { $0["rate_card_version"] as? Int } == [1, 1])
            #expect(lines.map { $0["own_rate_card"] as? Bool } == [false, true])
            let page = try await platform.statement("2026-01/page")
            for whose in ["enterprise", "own"] { #expect(page.body.contains("<td data-name=\"Rate card\">\(whose), version 1</td>")) }
            #expect(page.body.contains("covers 1 event with"))
        }
    }
}
