import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Get statement")
struct GetStatementTests {
    @Test("the lines add up to the total, and the statement is found by its ID and by its month")
    func get() async throws {
        try await TestPlatform.runWithStatements { platform in
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

    @Test("another tenant's statement, one that is being closed and any other name are not found")
    func absent() async throws {
        try await TestPlatform.runWithStatements { platform in
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
