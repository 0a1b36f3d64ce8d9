import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Web

@Suite("Create rate card")
struct CreateRateCardTests {
    @Test("a plan's next version leaves the previous one unchanged, and is in the audit trail")
    func versions() async throws {
        try await TestPlatform.run { platform in
            let before = try await platform.call("GET", "/rate-cards?plan=scale").json["data"] as? [[String: any Sendable]]
            let created = try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard)
            #expect(created.status == 201, "\(created.body)")
            #expect(created.json["version"] as? Int == 2)
            #expect(created.json["tier_mode"] as? String == "volume")
            let id = try #require(created.json["id"] as? String)
            #expect(created.header("Location") == "/v1/rate-cards/\(id)")
            let shown = try await platform.call("GET", "/rate-cards/\(id)")
            #expect(shown.status == 200 && shown.json as NSDictionary == created.json as NSDictionary)
            #expect(shown.header("ETag") == created.header("ETag"))
            let list = try #require(try await platform.call("GET", "/rate-cards?plan=scale").json["data"] as? [[String: any Sendable]])
            #expect(list.map { $0["version"] as? Int } == [2, 1])
            #expect(list.last as? NSDictionary == before?.first as? NSDictionary)
            // Another plan has its own version numbers.
            let free = try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard.merging(["plan": "free"]) { $1 })
            #expect(free.json["version"] as? Int == 2)
            let trail = try await platform.call("GET", "/platform/audit-events?action=createRateCard&subject=\(id)")
            #expect((trail.json["data"] as? [Any])?.count == 1)
        }
    }

    @Test("a silent sign-in is free unless the card has a price, which starts a term like any other price")
    func silentLogins() async throws {
        try await TestPlatform.run { platform in
            func create(_ price: any Sendable) async throws -> TestBrowser.Answer {
                try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard.merging(["silent_login_micros": price]) { $1 })
            }
            let free = try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard)
            #expect(free.json["silent_login_micros"] as? Int == 0)
            let priced = try await create(1500)
            #expect(priced.status == 201 && priced.json["silent_login_micros"] as? Int == 1500)
            let shown = try await platform.call("GET", "/rate-cards/\(priced.json["id"] as? String ?? "")")
            #expect(shown.json as NSDictionary == priced.json as NSDictionary)
            for wrong: any Sendable in [-1, 1_000_000_001, 0.5, "1"] {
                let refused = try await create(wrong)
                #expect(refused.status == 400 && refused.body.contains("silent_login_micros"), "\(wrong)")
            }
            let own = try await platform.call(
                "POST", "/tenants/acme/rate-cards",
                ["effective_from": "2027-06-01", "follows_plan": true, "silent_login_micros": 1])
            #expect(own.status == 400)
        }
    }

    @Test("many concurrent requests create one version each")
    func atOnce() async throws {
        try await TestPlatform.run { platform in
            let versions = try await withThrowingTaskGroup(of: Int?.self) { tasks in
                for _ in 0..<8 {
                    tasks.addTask { try await platform.call("POST", "/rate-cards", TestPlatform.scaleCard).json["version"] as? Int }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(versions) == Set(2...9))
        }
    }

    @Test("a tenant cannot set prices, not even its own")
    func operatorsOnly() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            for path in ["/rate-cards", "/tenants/acme/rate-cards"] {
                let answer = try await platform.call("POST", path, key: key, TestPlatform.ownCard)
                #expect(answer.status == 403)
                #expect(answer.json["code"] as? String == "operator_required")
            }
        }
    }

    private static let refusals: [([String: any Sendable], String)] = [
        (["plan": "gold"], "plan"), (["effective_from": "2027-02-29"], "effective_from"),
        (["effective_from": "2027-01-01T00:00:00Z"], "effective_from"), (["currency": "XAU"], "currency"),
        (["currency": "usd"], "currency"), (["base_fee_micros": -1], "base_fee_micros"),
        (["minimum_micros": 1.5], "minimum_micros"), (["included_logins": "1"], "included_logins"),
        (["tier_mode": "stairs"], "tier_mode"), (["tiers": [] as [Int]], "tiers"), (["tiers": 5000], "tiers"),
        (["tiers": [5000]], "tiers[0]"), (["tiers": [["up_to": 5, "unit_price_micros": 1]]], "tiers[0].up_to"),
        (["tiers": [["unit_price_micros": 1], ["unit_price_micros": 1]]], "tiers[0].up_to"),
        (
            ["tiers": [["up_to": 5, "unit_price_micros": 1], ["up_to": 5, "unit_price_micros": 1], ["unit_price_micros": 1]]],
            "tiers[1].up_to"
        ),
        (["tiers": [["unit_price_micros": -1]]], "tiers[0].unit_price_micros"),
        (["tiers": [["unit_price_micros": 1, "discount": 1]]], "tiers[0].discount"), (["follows_plan": true], "follows_plan"),
    ]

    /// The refused fields.
    private static func refused(
        _ change: [String: any Sendable], of body: [String: any Sendable], _ path: String, _ platform: TestPlatform
    ) async throws -> [String] {
        let answer = try await platform.call("POST", path, body.merging(change) { $1 })
        #expect(answer.status == 400, "\(answer.body)")
        return (answer.json["errors"] as? [[String: String]] ?? []).compactMap { $0["field"] }
    }

    @Test("an invalid price is refused with the name of its field")
    func refused() async throws {
        try await TestPlatform.run { platform in
            for (change, field) in Self.refusals {
                #expect(try await Self.refused(change, of: TestPlatform.scaleCard, "/rate-cards", platform) == [field], "\(change)")
            }
            let path = "/tenants/acme/rate-cards"
            #expect(try await Self.refused(["plan": "scale"], of: TestPlatform.ownCard, path, platform) == ["plan"])
            // With the plan's prices in effect again, a price has no meaning.
            #expect(
                try await Self.refused(["follows_plan": true], of: TestPlatform.ownCard, path, platform).sorted() == ["currency", "tiers"])
            let listed = try await platform.call("GET", "/rate-cards?plan=gold")
            #expect(listed.status == 400)
        }
    }
}
