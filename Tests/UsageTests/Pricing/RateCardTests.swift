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

@Suite("Rate cards")
struct RateCardTests {
    private static let scale: [String: any Sendable] = [
        "plan": "scale", "effective_from": "2027-01-01", "currency": "USD", "base_fee_micros": 49_000_000, "included_logins": 1000,
        "minimum_micros": 60_000_000, "tier_mode": "volume",
        "tiers": [["up_to": 100_000, "unit_price_micros": 5000], ["unit_price_micros": 4000]],
    ]
    private static let own: [String: any Sendable] = [
        "effective_from": "2027-01-01", "currency": "EUR", "tiers": [["unit_price_micros": 3000]],
    ]

    @Test("by default every plan costs half a cent per login, starting in 2000")
    func byDefault() async throws {
        try await TestPlatform.run { platform in
            let answer = try await platform.call("GET", "/rate-cards")
            let cards = try #require(answer.json["data"] as? [[String: any Sendable]])
            #expect(cards.map { $0["plan"] as? String } == ["free", "scale", "enterprise"])
            for card in cards {
                #expect(card["currency"] as? String == "USD" && card["version"] as? Int == 1)
                #expect(card["effective_from"] as? String == "2000-01-01")
                #expect(["base_fee_micros", "included_logins", "minimum_micros"].allSatisfy { card[$0] as? Int == 0 })
                let tiers = try #require(card["tiers"] as? [[String: any Sendable]])
                #expect(tiers.count == 1 && tiers[0]["unit_price_micros"] as? Int == 5000 && tiers[0]["up_to"] == nil)
                #expect(card["tenant_id"] == nil && card["follows_plan"] == nil)
            }
        }
    }

    @Test("a plan's next version leaves the previous one unchanged, and is in the audit trail")
    func versions() async throws {
        try await TestPlatform.run { platform in
            let before = try await platform.call("GET", "/rate-cards?plan=scale").json["data"] as? [[String: any Sendable]]
            let created = try await platform.call("POST", "/rate-cards", Self.scale)
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
            let free = try await platform.call("POST", "/rate-cards", Self.scale.merging(["plan": "free"]) { $1 })
            #expect(free.json["version"] as? Int == 2)
            let trail = try await platform.call("GET", "/platform/audit-events?action=createRateCard&subject=\(id)")
            #expect((trail.json["data"] as? [Any])?.count == 1)
        }
    }

    @Test("many concurrent requests create one version each")
    func atOnce() async throws {
        try await TestPlatform.run { platform in
            let versions = try await withThrowingTaskGroup(of: Int?.self) { tasks in
                for _ in 0..<8 {
                    tasks.addTask { try await platform.call("POST", "/rate-cards", Self.scale).json["version"] as? Int }
                }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(versions) == Set(2...9))
        }
    }

    @Test("a tenant's own card is in effect only for it, until a card returns it to its plan's prices")
    func own() async throws {
        try await TestPlatform.run { platform in
            let created = try await platform.call("POST", "/tenants/acme/rate-cards", Self.own)
            #expect(created.status == 201, "\(created.body)")
            #expect(created.json["tenant_id"] as? String == platform.acme.id)
            #expect(created.json["version"] as? Int == 1 && created.json["follows_plan"] as? Bool == false)
            #expect(created.json["plan"] == nil)
            let id = try #require(created.json["id"] as? String)
            let end = try await platform.call(
                "POST", "/tenants/acme/rate-cards", ["effective_from": "2027-06-01", "follows_plan": true])
            #expect(end.status == 201, "\(end.body)")
            #expect(end.json["version"] as? Int == 2 && end.json["follows_plan"] as? Bool == true)
            #expect(end.json["tiers"] == nil && end.json["currency"] == nil)

            func ids(_ slug: String, _ key: String) async throws -> [String] {
                let data = try await platform.call("GET", "/tenants/\(slug)/rate-cards", key: key).json["data"] as? [[String: any Sendable]]
                return try #require(data).compactMap { $0["id"] as? String }
            }
            let (acme, globex) = (platform.acme.api_keys[0].secret, platform.globex.api_keys[0].secret)
            #expect(try await ids("acme", acme).prefix(2) == [try #require(end.json["id"] as? String), id])
            #expect(try await ids("acme", acme).count == 5)
            #expect(try await ids("globex", globex).count == 3)
            #expect(try await platform.call("GET", "/tenants/acme/rate-cards/\(id)", key: acme).status == 200)
            #expect(try await platform.call("GET", "/tenants/globex/rate-cards/\(id)", key: globex).status == 404)
            #expect(try await platform.call("GET", "/rate-cards/\(id)").status == 404)
            // All tenants can read a plan's card, because their statements name it.
            let plans = try #require(try await ids("globex", globex).first)
            #expect(try await platform.call("GET", "/tenants/acme/rate-cards/\(plans)", key: acme).status == 200)

            func price(_ day: String, of slug: String) async throws -> (currency: String?, total: Int?) {
                let answer = try await platform.call("POST", "/pricing/estimate", ["logins": 1000, "tenant": slug, "on": day])
                return (answer.json["currency"] as? String, answer.json["total_micros"] as? Int)
            }
            for (day, slug, currency, total) in [
                ("2026-12-31", "acme", "USD", 5_000_000), ("2027-01-01", "acme", "EUR", 3_000_000),
                ("2027-05-31", "acme", "EUR", 3_000_000),
                ("2027-06-01", "acme", "USD", 5_000_000), ("2027-01-01", "globex", "USD", 5_000_000),
            ] {
                let told = try await price(day, of: slug)
                #expect(told.currency == currency && told.total == total, "\(slug) \(day)")
            }
            let trail = try await platform.call("GET", "/tenants/acme/audit-events?action=createTenantRateCard")
            #expect((trail.json["data"] as? [Any])?.count == 2)
        }
    }

    @Test("a tenant cannot set prices, not even its own")
    func operatorsOnly() async throws {
        try await TestPlatform.run { platform in
            let key = platform.acme.api_keys[0].secret
            for path in ["/rate-cards", "/tenants/acme/rate-cards"] {
                let answer = try await platform.call("POST", path, key: key, Self.own)
                #expect(answer.status == 403)
                #expect(answer.json["code"] as? String == "operator_required")
            }
        }
    }

    @Test("a closed month and the months before it cannot get new prices, for the affected tenants")
    func closed() async throws {
        try await TestPlatform.run { platform in
            let (acme, now) = (ID<Tenant>(platform.acme.id)!, Date())
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
                VALUES (\(acme), '2026-10-01', \(UUID()), 'acme', 'Acme', \(now), \(now))
                """)
            func status(_ path: String, _ body: [String: any Sendable], _ day: String) async throws -> Int {
                try await platform.call("POST", path, body.merging(["effective_from": day]) { $1 }).status
            }
            for day in ["2026-09-30", "2026-10-01", "2026-10-31"] {
                #expect(try await status("/rate-cards", Self.scale, day) == 409)
                #expect(try await status("/tenants/acme/rate-cards", Self.own, day) == 409)
                // Globex has no closed month yet.
                #expect(try await status("/tenants/globex/rate-cards", Self.own, day) == 201)
            }
            #expect(try await status("/rate-cards", Self.scale, "2026-11-01") == 201)
            #expect(try await status("/tenants/acme/rate-cards", Self.own, "2026-11-01") == 201)
        }
    }

    @Test("a rate card waits for a month that is being closed")
    func closing() async throws {
        try await TestPlatform.run { platform in
            let (acme, now) = (ID<Tenant>(platform.acme.id)!, Date())
            let answer = try await platform.ownerPool.transaction { db in
                _ = try await db.run(PriceLock.shared)
                _ = try await db.run(
                    """
                    INSERT INTO statement (tenant_id, period, id, tenant_slug, tenant_name, claimed_until, closing_at)
                    VALUES (\(acme), '2026-10-01', \(UUID()), 'acme', 'Acme', \(now), \(now))
                    """)
                let call = Task {
                    try await platform.call(
                        "POST", "/tenants/acme/rate-cards", Self.own.merging(["effective_from": "2026-10-15"]) { $1 })
                }
                try await eventually("the card waits") { try await platform.isWaitedFor(1_886_546_275) }
                return call
            }
            #expect(try await answer.value.status == 409)
        }
    }

    @Test("a month waits for a rate card that is being written and is rated by it, and no login waits for either")
    func writing() async throws {
        try await TestPlatform.run { platform in
            let acme = ID<Tenant>(platform.acme.id)!
            let (now, month) = (Date(), Month(Date()))
            let draft = RateCard.Draft(
                plan: nil, effectiveFrom: month.firstDay, followsPlan: false, prices: .of(.graduated, (nil, 1_000_000)))
            let writer = try TestDatabase.pool(platform.database.serverURL)
            try await platform.append([now])
            let closed = try await writer.transaction(prelude: PlatformDatabase.prelude) { db in
                _ = try await draft.add(to: acme.uuid, "createTenantRateCard", by: .system, db, at: now)
                let closed = Task { try await platform.close(at: month.end.addingTimeInterval(2 * 86400)) }
                try await eventually("the month waits") { try await platform.isWaitedFor(1_886_546_275) }
                #expect(try await TestBrowser(platform).tokens(.init(platform.acme))["access_token"] != nil)
                return closed
            }
            #expect(try await closed.value == 2)
            let statement = try await platform.call("GET", "/tenants/acme/statements/\(month)")
            #expect((statement.json["totals"] as? [[String: any Sendable]])?.map { $0["amount"] as? String } == ["2.00"])
            // The card is too late for the next month.
            await #expect(throws: Problem.self) {
                try await writer.transaction(prelude: PlatformDatabase.prelude) { db in
                    _ = try await draft.add(to: acme.uuid, "createTenantRateCard", by: .system, db, at: now)
                }
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
                #expect(try await Self.refused(change, of: Self.scale, "/rate-cards", platform) == [field], "\(change)")
            }
            let path = "/tenants/acme/rate-cards"
            #expect(try await Self.refused(["plan": "scale"], of: Self.own, path, platform) == ["plan"])
            // With the plan's prices in effect again, a price has no meaning.
            #expect(try await Self.refused(["follows_plan": true], of: Self.own, path, platform).sorted() == ["currency", "tiers"])
            let listed = try await platform.call("GET", "/rate-cards?plan=gold")
            #expect(listed.status == 400)
        }
    }

    @Test("the list of rate cards has pages")
    func pages() async throws {
        try await TestPlatform.run { platform in
            for _ in 0..<2 { _ = try await platform.call("POST", "/rate-cards", Self.scale) }
            var (seen, path) = ([String](), "/rate-cards?limit=2")
            while true {
                let page = try await platform.call("GET", path)
                let data = try #require(page.json["data"] as? [[String: any Sendable]])
                seen += data.map { "\($0["plan"] as? String ?? "") \($0["version"] as? Int ?? 0)" }
                guard let after = (page.json["list_metadata"] as? [String: any Sendable])?["after"] as? String else { break }
                path = "/rate-cards?limit=2&after=\(after)"
            }
            #expect(seen == ["scale 3", "scale 2", "free 1", "scale 1", "enterprise 1"])
        }
    }
}
