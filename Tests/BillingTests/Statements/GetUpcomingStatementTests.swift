import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Get upcoming statement")
struct GetUpcomingStatementTests {
    private static func upcoming(_ platform: TestPlatform, _ query: String = "", key: String? = nil) async throws -> TestBrowser.Answer {
        try await platform.call("GET", "/tenants/acme/statements/upcoming\(query)", key: key ?? platform.acme.api_keys[0].secret)
    }

    /// The common members of the upcoming and the closed statement of a month.
    private static func reported(_ answer: TestBrowser.Answer) -> NSDictionary {
        answer.json.filter { ["lines", "totals", "events", "period", "tenant_id", "tenant_slug", "tenant_name"].contains($0.key) }
            as NSDictionary
    }

    @Test("it equals the later statement, line by line, with terms, tiers, minimum and corrections, aggregated or waiting")
    func equal() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .free), ("2026-01-11T12:00:00Z", .scale)])
            try await platform.rateCard(
                .scale, from: "2026-01-01", baseFee: 31_000_000, included: 3, minimum: 90_000_000,
                tiers: [(3, 2_000_000), (nil, 1_500_500)])
            try await platform.rateCard(.free, from: "2026-01-06", currency: "JPY", tiers: [(nil, 1_500_000)])
            for day in ["03", "07", "08", "12", "13", "14", "15", "20", "31"] {
                try await platform.append(Array(repeating: try moment("2026-01-\(day)T23:59:59.999999Z"), count: 2))
            }
            let waiting = try await Self.upcoming(platform, "?period=2026-01")
            #expect(waiting.status == 200, "\(waiting.body)")
            #expect(waiting.json["events"] as? Int == 18)
            try await platform.rollUp()
            let january = try await Self.upcoming(platform, "?period=2026-01")
            #expect(Self.reported(january) == Self.reported(waiting))
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            let closed = try await platform.statement("2026-01")
            #expect((closed.json["totals"] as? [[String: any Sendable]])?.compactMap { $0["currency"] as? String } == ["JPY", "USD"])
            #expect((closed.json["lines"] as? [any Sendable])?.count ?? 0 > 5)
            #expect(Self.reported(january) == Self.reported(closed))

            // Late logins of January, by its prices and after its tiers, and February's own.
            try await platform.append([
                try moment("2026-01-08T00:00:00Z"), try moment("2026-01-31T00:00:00Z"), try moment("2026-02-01T00:00:00Z"),
            ])
            try await platform.rollUp()
            try await platform.append([try moment("2026-01-30T00:00:00Z")])
            let february = try await Self.upcoming(platform, "?period=2026-02")
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 1)
            #expect(try await platform.lines("2026-02").count { $0.hasPrefix("correction") } == 2)
            #expect(Self.reported(february) == Self.reported(try await platform.statement("2026-02")))
        }
    }

    @Test("another plan with the same prices and the same card again cost nothing: all 1,000 included logins are included")
    func samePrices() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .free)])
            for plan in [Tenant.Plan.free, .scale] {
                try await platform.rateCard(plan, from: "2026-01-01", included: 1000, tiers: [(nil, 50_000)])
            }
            try await platform.append((0..<1000).map { try! moment("2026-01-05T00:00:00Z") + Double($0) })
            func total() async throws -> String? {
                let totals = try await Self.upcoming(platform, "?period=2026-01").json["totals"] as? [[String: any Sendable]]
                return totals?.first?["amount"] as? String
            }
            #expect(try await total() == "0.00")
            try await platform.plans([("2026-01-01T00:00:00Z", .free), ("2026-01-16T12:00:00Z", .scale)])
            #expect(try await total() == "0.00")
            try await platform.rateCard(.scale, version: 3, from: "2026-01-20", included: 1000, tiers: [(nil, 50_000)])
            #expect(try await total() == "0.00")
            try await platform.rollUp()
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            let lines = try #require(try await platform.statement("2026-01").json["lines"] as? [[String: any Sendable]])
            #expect(lines.map { $0["kind"] as? String } == ["included"])
            // The line names the last of them.
            #expect(lines[0]["plan"] as? String == "scale" && lines[0]["rate_card_version"] as? Int == 3, "\(lines)")
        }
    }

    @Test("by default it covers the month in which a current login is billed, with preliminary numbers")
    func running() async throws {
        try await TestPlatform.run { platform in
            let now = Date()
            let month = Month(now)
            try await platform.append([now.addingTimeInterval(-1)])
            let open = try await Self.upcoming(platform)
            #expect(open.json["period"] as? String == month.description)
            #expect(open.json["object"] as? String == "upcoming_statement" && open.json["state"] as? String == "open")
            #expect(open.json["events"] as? Int == 1)
            #expect(Set(open.json.keys).isDisjoint(with: ["id", "digest", "closed_at"]))
            // Waiting events are in the numbers. So close to now, more events may still arrive.
            let until = try Date(#require(open.json["complete_until"] as? String), strategy: .iso8601)
            #expect(until <= now.addingTimeInterval(-RollUp.delay + 60))

            // Closed too early, as in development. New logins are then late, and billed in the next month.
            #expect(try await platform.closing().pass(at: month.end.addingTimeInterval(2 * 86400)) == 2)
            try await platform.append([now])
            let next = try await Self.upcoming(platform)
            #expect(next.json["period"] as? String == month.next.description)
            #expect((next.json["lines"] as? [[String: any Sendable]])?.contains { $0["kind"] as? String == "correction" } == true)
            for (query, word) in [
                ("?period=\(month)", "earlier"), ("?period=\(month.previous)", "earlier"), ("?period=\(month.next.next)", "not started"),
                ("?period=2026", "month"), ("?period=", "empty"), ("?month=\(month)", "unknown"),
            ] {
                for page in ["", "/page"] {
                    let refused = try await platform.call("GET", "/tenants/acme/statements/upcoming\(page)\(query)")
                    #expect(refused.status == 400)
                    let errors = refused.json["errors"] as? [[String: String]]
                    #expect(errors?.first?["detail"]?.contains(word) == true, "\(query): \(refused.body)")
                }
            }
        }
    }

    @Test("a tenant without logins sees its fees, and a deleted one none")
    func unused() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.rateCard(from: "2026-01-01", baseFee: 49_000_000)
            let totals = try await Self.upcoming(platform).json["totals"] as? [[String: any Sendable]]
            #expect(totals?.map { $0["amount"] as? String } == ["49.00"])
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise), ("2026-02-01T00:00:00Z", nil)])
            let gone = try await Self.upcoming(platform)
            #expect(gone.status == 200 && (gone.json["lines"] as? [any Sendable])?.isEmpty == true)
        }
    }

    @Test("another tenant's key and one without the scope see nothing")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for page in ["", "/page"] {
                let path = "/tenants/acme/statements/upcoming\(page)"
                let stranger = try await platform.call("GET", path, key: platform.globex.api_keys[0].secret)
                let lacking = try await platform.call("GET", path, key: platform.acme.api_keys[1].secret)
                let seen = try await platform.call("GET", path)
                #expect([stranger, lacking, seen].map(\.status) == [404, 403, 200])
            }
        }
    }
}
