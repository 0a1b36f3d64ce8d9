import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Budgets in money")
struct BudgetAmountTests {
    private static func reported(_ platform: TestPlatform) async throws -> [String] {
        try await platform.ownerPool.run(
            """
            SELECT concat_ws(' ', data->>'period', data->>'percent', data->>'amount', data->>'budget_amount', data->>'currency',
                data->>'logins_refused', data->>'logins', data->>'budget_logins') AS line
            FROM webhook_event WHERE type = 'usage.threshold' ORDER BY data->>'period', (data->>'percent')::integer
            """
        ).map { try $0.get("line") }
    }

    /// Acme pays 1 USD per login by default, for the whole month.
    private static func run(
        price: Int = 1_000_000, baseFee: Int = 0, _ body: @Sendable @escaping (TestPlatform) async throws -> Void
    ) async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.rateCard(version: 1, from: "2026-01-01", baseFee: baseFee, tiers: [(nil, price)])
            let hook: [String: any Sendable] = ["url": "https://hooks.example.com/", "events": ["usage.threshold"]]
            #expect(try await platform.call("POST", "/tenants/acme/webhooks", hook).status == 201)
            try await body(platform)
        }
    }

    private static func set(_ platform: TestPlatform, _ units: Int, _ currency: String = "USD", hard: Bool = false) async throws
        -> TestBrowser.Answer
    {
        try await platform.call(
            "PUT", "/tenants/acme/budget", key: platform.acme.api_keys[0].secret,
            ["amount_micros": units * 1_000_000, "currency": currency, "hard": hard])
    }

    private static func login(_ platform: TestPlatform, _ count: Int, at time: Date = Date()) async throws {
        try await platform.append(Array(repeating: time, count: count))
        try await platform.rollUp()
    }

    @Test("webhooks report 50, 80 and 100 % of the amount, once per month each")
    func thresholds() async throws {
        try await Self.run { platform in
            #expect(try await Self.set(platform, 10).status == 200)
            let month = Month(Date())
            try await Self.login(platform, 4)
            // Logins of another month, and of another tenant.
            try await Self.login(platform, 20, at: month.start.addingTimeInterval(-40 * 86400))
            try await platform.append(Array(repeating: Date(), count: 20), of: platform.globex)
            try await platform.rollUp()
            #expect(try await Self.reported(platform) == [])
            try await Self.login(platform, 1)
            #expect(try await Self.reported(platform) == ["\(month) 50 5.00 10.00 USD false"])
            try await Self.login(platform, 6)
            let all = ["\(month) 50 5.00 10.00 USD false", "\(month) 80 11.00 10.00 USD false", "\(month) 100 11.00 10.00 USD false"]
            #expect(Set(try await Self.reported(platform)) == Set(all))
            try await Self.login(platform, 5)
            try await Budget.watchAmounts(in: PlatformDatabase(platform.pool), at: Date())
            #expect(try await Self.reported(platform).count == 3)
        }
    }

    @Test("fees count from the first day of the month, and a new price or month is noticed without a login")
    func withoutLogins() async throws {
        try await Self.run(baseFee: 6_000_000) { platform in
            let (month, today) = (Month(Date()), Day(Date()))
            #expect(try await Self.set(platform, 12).status == 200)
            #expect(try await Self.reported(platform) == ["\(month) 50 6.00 12.00 USD false"])
            try await platform.rateCard(version: 2, from: month.firstDay.description, baseFee: 10_000_000)
            // A batch of one tenant, so that the loop runs twice.
            _ = try await platform.call("PUT", "/tenants/globex/budget", ["amount_micros": 1, "currency": "USD"])
            try await Budget.watchAmounts(in: PlatformDatabase(platform.pool), batch: 1, at: today.start.addingTimeInterval(60))
            #expect(try await Self.reported(platform).last == "\(month) 80 10.00 12.00 USD false")
            try await Budget.watchAmounts(in: PlatformDatabase(platform.pool), at: month.end)
            #expect(
                try await Self.reported(platform).suffix(2) == [
                    "\(month.next) 50 10.00 12.00 USD false", "\(month.next) 80 10.00 12.00 USD false",
                ])
        }
    }

    @Test("in a month with two currencies, only the budget's currency counts")
    func currencies() async throws {
        try await Self.run { platform in
            let month = Month(Date())
            try await platform.rateCard(version: 2, from: (month.firstDay + 1).description, currency: "EUR", tiers: [(nil, 3_000_000)])
            #expect(try await Self.set(platform, 10, "EUR").status == 200)
            try await Self.login(platform, 20, at: month.start)
            #expect(try await Self.reported(platform) == [])
            try await Self.login(platform, 2, at: month.start.addingTimeInterval(86400))
            #expect(try await Self.reported(platform) == ["\(month) 50 6.00 10.00 EUR false"])
            // An amount in a currency that the month does not bill uses nothing.
            let yen = try await Self.set(platform, 1, "JPY")
            #expect((yen.json["current"] as? [String: any Sendable])?["percent"] as? Int == 0)
        }
    }

    @Test("a hard budget refuses logins at its limit, and permits them again after a lower price")
    func hard() async throws {
        try await Self.run { platform in
            let (browser, request) = (TestBrowser(platform), TestBrowser.Request(platform.acme))
            #expect(try await Self.set(platform, 3, hard: true).status == 200)
            try await Self.login(platform, 2)
            #expect(try await browser.authorize(request).status == 302)
            try await Self.login(platform, 1)
            let month = Month(Date())
            #expect(try await Self.reported(platform).last == "\(month) 100 3.00 3.00 USD true")
            try await eventually("the refusal is in effect") { try await browser.authorize(request).status == 503 }
            #expect(try await platform.call("GET", "/tenants/acme/budget").json["logins_refused_until"] is String)
            try await platform.rateCard(version: 2, from: month.firstDay.description, tiers: [(nil, 900_000)])
            try await Budget.watchAmounts(in: PlatformDatabase(platform.pool), at: Date())
            try await eventually("the refusal is over") { try await browser.authorize(request).status == 302 }
        }
    }
}
