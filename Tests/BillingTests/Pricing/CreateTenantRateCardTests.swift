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

@Suite("Create tenant rate card")
struct CreateTenantRateCardTests {
    @Test("a tenant's own card is in effect only for it, until a card returns it to its plan's prices")
    func own() async throws {
        try await TestPlatform.run { platform in
            let created = try await platform.call("POST", "/tenants/acme/rate-cards", TestPlatform.ownCard)
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
                let reported = try await price(day, of: slug)
                #expect(reported.currency == currency && reported.total == total, "\(slug) \(day)")
            }
            let trail = try await platform.call("GET", "/tenants/acme/audit-events?action=createTenantRateCard")
            #expect((trail.json["data"] as? [Any])?.count == 2)
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
                #expect(try await status("/rate-cards", TestPlatform.scaleCard, day) == 409)
                #expect(try await status("/tenants/acme/rate-cards", TestPlatform.ownCard, day) == 409)
                // Globex has no closed month yet.
                #expect(try await status("/tenants/globex/rate-cards", TestPlatform.ownCard, day) == 201)
            }
            #expect(try await status("/rate-cards", TestPlatform.scaleCard, "2026-11-01") == 201)
            #expect(try await status("/tenants/acme/rate-cards", TestPlatform.ownCard, "2026-11-01") == 201)
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
                        "POST", "/tenants/acme/rate-cards", TestPlatform.ownCard.merging(["effective_from": "2026-10-15"]) { $1 })
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

    @Test("an unknown tenant and a missing scope are refused, and no card is written")
    func unknownTenant() async throws {
        try await TestPlatform.run { platform in
            let narrow = try await platform.narrowKey()
            let path = "/tenants/acme/rate-cards"
            #expect(try await platform.call("POST", path, key: narrow, TestPlatform.ownCard).problem == "insufficient_scope")
            #expect(try await platform.call("POST", "/tenants/initech/rate-cards", TestPlatform.ownCard).problem == "not_found")
            #expect(try await platform.auditTrail(of: "createTenantRateCard").isEmpty)
        }
    }
}
