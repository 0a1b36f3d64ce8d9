import Access
@testable import Billing
import Foundation
@testable import Ledger
import Logging
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// Sign-ins without Apple: a usage kind of their own, free unless the rate card has a price.
@Suite("Silent sign-ins on statements")
struct SilentLoginsTests {
    private static func run(_ body: @Sendable @escaping (TestPlatform) async throws -> Void) async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await body(platform)
        }
    }

    private static func append(_ platform: TestPlatform, logins: Int = 0, silent: Int = 0, on day: String = "2026-01-15") async throws {
        for (count, kind) in [(logins, "login"), (silent, "silent_login")] where count > 0 {
            let start = try moment("\(day)T12:00:00Z")
            try await platform.append((0..<count).map { start + Double($0) }, kind: kind)
        }
        try await platform.rollUp()
    }

    private static func upcoming(_ platform: TestPlatform, _ period: String) async throws -> TestBrowser.Answer {
        try await platform.call(
            "GET", "/tenants/acme/statements/upcoming?period=\(period)", key: platform.acme.api_keys[0].secret)
    }

    private static func lines(_ answer: TestBrowser.Answer) -> NSArray { answer.json["lines"] as? NSArray ?? [] }

    private static func differences(_ platform: TestPlatform) async throws -> [String] {
        var differences: [String] = []
        for period in try await VerifyUsage.periods(of: "acme", from: nil, to: nil, in: PlatformDatabase(platform.pool)) {
            differences += try await VerifyUsage.verify(period, in: PlatformDatabase(platform.ownerPool)).differences
        }
        return differences
    }

    @Test("without a price they are a line of their own with the amount 0, and use neither included logins nor tiers")
    func free() async throws {
        try await Self.run { platform in
            try await platform.rateCard(version: 1, from: "2026-01-01", included: 5, tiers: [(10, 1_000_000), (nil, 500_000)])
            try await Self.append(platform, logins: 12, silent: 40)
            let upcoming = try await Self.upcoming(platform, "2026-01")
            #expect(upcoming.json["events"] as? Int == 52)
            let page = try await platform.call(
                "GET", "/tenants/acme/statements/upcoming/page?period=2026-01", key: platform.acme.api_keys[0].secret)
            #expect(page.body.contains("<p>Logins: 12. Silent sign-ins: 40. Fees are"))
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            #expect(try await platform.lines("2026-01") == ["included 5 0.00 USD", "logins 7 7.00 USD", "silent_logins 40 0.00 USD"])
            #expect(Self.lines(try await platform.statement("2026-01")) == Self.lines(upcoming))
            #expect(try await Self.differences(platform) == [])
        }
    }

    @Test("a month without them has no line, and the same digest as before")
    func none() async throws {
        try await Self.run { platform in
            try await platform.rateCard(version: 1, from: "2026-01-01", tiers: [(nil, 5000)], silent: 1000)
            try await Self.append(platform, logins: 3)
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            #expect(try await platform.lines("2026-01") == ["logins 3 0.02 USD"])
        }
    }

    @Test("a price is charged for each, rounded once, and late ones by the price of their month")
    func priced() async throws {
        try await Self.run { platform in
            try await platform.rateCard(version: 1, from: "2026-01-01", tiers: [(nil, 1_000_000)], silent: 1500)
            try await platform.rateCard(version: 2, from: "2026-02-01", tiers: [(nil, 1_000_000)], silent: 100_000)
            try await Self.append(platform, logins: 2, silent: 15)
            let upcoming = try await Self.upcoming(platform, "2026-01")
            // 0.0225 USD, half to even.
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            #expect(try await platform.lines("2026-01") == ["logins 2 2.00 USD", "silent_logins 15 0.02 USD"])
            let line = try #require((try await platform.statement("2026-01").json["lines"] as? [[String: any Sendable]])?.last)
            #expect(line["exact_micros"] as? Int == 22_500 && line["unit_price_micros"] as? Int == 1500)
            #expect(line["description"] as? String == "Silent sign-ins")
            #expect(Self.lines(try await platform.statement("2026-01")) == Self.lines(upcoming))

            // Late ones of January with a late login, and February's own.
            try await Self.append(platform, logins: 1, silent: 1, on: "2026-01-20")
            try await Self.append(platform, silent: 3, on: "2026-02-20")
            let february = try await Self.upcoming(platform, "2026-02")
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 1)
            #expect(
                try await platform.lines("2026-02") == [
                    "logins 0 0.00 USD", "silent_logins 3 0.30 USD", "correction 1 1.00 USD", "silent_correction 1 0.00 USD",
                ])
            let late = try #require((try await platform.statement("2026-02").json["lines"] as? [[String: any Sendable]])?.last)
            #expect(late["exact_micros"] as? Int == 1500 && late["unit_price_micros"] as? Int == 1500)
            #expect(late["description"] as? String == "Late silent sign-ins of 2026-01")
            #expect(Self.lines(try await platform.statement("2026-02")) == Self.lines(february))
            #expect(try await Self.differences(platform) == [])
            // The first 16 cost 0.024 USD together, as on both statements.
            #expect(try await platform.statement("2026-02").json["events"] as? Int == 5)
        }
    }

    @Test("a month with only silent sign-ins closes, counts toward a minimum, and has no user")
    func only() async throws {
        try await Self.run { platform in
            try await platform.rateCard(version: 1, from: "2026-01-01", minimum: 2_000_000, silent: 100_000)
            try await Self.append(platform, silent: 12)
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            #expect(
                try await platform.lines("2026-01") == ["logins 0 0.00 USD", "silent_logins 12 1.20 USD", "minimum 31 0.80 USD"])
            // The minimum is paid, so late ones are free until they exceed it.
            try await Self.append(platform, silent: 10)
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 1)
            #expect(
                try await platform.lines("2026-02") == ["logins 0 0.00 USD", "minimum 28 2.00 USD", "silent_correction 10 0.20 USD"])
            #expect(try await Self.differences(platform) == [])
            for table in ["usage_users", "usage_month_user"] { #expect(try await platform.count(table) == 0, "\(table)") }
        }
    }

    @Test("a change of their price in mid-month divides the month, and a tenant without a plan pays its last price")
    func terms() async throws {
        try await Self.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise), ("2026-01-31T12:00:00Z", nil)])
            try await platform.rateCard(version: 1, from: "2026-01-01", tiers: [(nil, 1_000_000)], silent: 1_000_000)
            try await platform.rateCard(version: 2, from: "2026-01-16", tiers: [(nil, 1_000_000)], silent: 3_000_000)
            try await Self.append(platform, silent: 2, on: "2026-01-15")
            try await Self.append(platform, silent: 2, on: "2026-01-16")
            try await Self.append(platform, silent: 1, on: "2026-02-10")
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 2)
            #expect(
                try await platform.lines("2026-01") == [
                    "logins 0 0.00 USD", "silent_logins 2 2.00 USD", "logins 0 0.00 USD", "silent_logins 2 6.00 USD",
                ])
            #expect(try await platform.lines("2026-02") == ["logins 0 0.00 USD", "silent_logins 1 3.00 USD"])
            #expect(try await Self.differences(platform) == [])
        }
    }

    @Test("only a priced one counts in a budget of money, and none in a budget of logins", arguments: [0, 1_000_000])
    func budgets(price: Int) async throws {
        try await Self.run { platform in
            try await platform.rateCard(version: 1, from: "2026-01-01", tiers: [(nil, 1_000_000)], silent: price)
            func used(_ budget: [String: any Sendable]) async throws -> [String: any Sendable]? {
                let set = try await platform.call("PUT", "/tenants/acme/budget", key: platform.acme.api_keys[0].secret, budget)
                return set.json["current"] as? [String: any Sendable]
            }
            try await platform.append([Date()])
            try await platform.append(Array(repeating: Date(), count: 4), kind: "silent_login")
            try await platform.rollUp()
            #expect(try await used(["logins": 10])?["logins"] as? Int == 1)
            let amount = try await used(["amount_micros": 10_000_000, "currency": "USD", "hard": true])?["amount"] as? String
            #expect(amount == (price == 0 ? "1.00" : "5.00"))
        }
    }

    @Test("a bill of the previous version, which counts them as logins, is refused, and the month stays open")
    func previousVersion() async throws {
        try await Self.run { platform in
            try await platform.rateCard(version: 1, from: "2026-01-01")
            try await Self.append(platform, logins: 2, silent: 3)
            let january = Month("2026-01")!
            let acme = ID<Tenant>(platform.acme.id)!
            let database = PlatformDatabase(platform.pool)
            let now = try moment("2026-02-02T00:00:00Z")
            let candidate = try #require(
                try await database.run(ClosingMonth.due(upTo: january, at: now, limit: 10)).map(ClosingMonth.Candidate.init)
                    .first { $0.tenant == acme })
            let taken = try #require(try await ClosingMonth.take(candidate, at: now, in: database))
            let events = try await BilledEvents.read(of: acme, in: january, from: database)
            #expect((events.count, events.byDay.values.reduce(0, +), events.silentByDay.values.reduce(0, +)) == (5, 2, 3))
            for lie: SQL in ["'login'", "kind"] {
                let claimed = try BilledEvents(
                    summed: try await database.run(
                        """
                        SELECT day, 'login' AS kind, sum(events)::bigint AS events FROM usage_day
                        WHERE tenant_id = \(acme) AND \(part: lie) = 'login' GROUP BY day
                        """))
                let bill = try await Bill(of: acme, in: january, events: claimed, from: database)
                await #expect { _ = try await database.run(try bill.close(taken, over: events, at: now)) } throws: {
                    ($0 as? DatabaseError)?.constraint == "statement_checked"
                }
            }
            try await taken.release(at: now, in: database)
            #expect(try await platform.close(at: "2026-02-02T00:00:01Z") == 1)
            #expect(try await platform.lines("2026-01") == ["logins 2 0.01 USD", "silent_logins 3 0.00 USD"])
        }
    }

    @Test("an archived month is restored with them, and its users are those with a login")
    func archived() async throws {
        try await Self.run { platform in
            let folder = try TemporaryFolder()
            let january = Month("2026-01")!
            try await Self.append(platform, logins: 4, silent: 9)
            _ = try await UsagePartitions(
                database: PlatformDatabase(platform.pool), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            ).pass(at: january.start)
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            func users() async throws -> Int? {
                try await platform.call("GET", "/tenants/acme/usage?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z").json["users"]
                    as? Int
            }
            #expect(try await users() == 4)
            try await ArchiveUsage(to: folder.path, database: PlatformDatabase(platform.ownerPool)).run(before: january.next, at: Date())
            #expect(try await platform.count("usage_event") == 0)
            let restored = try await RestoreUsage(database: PlatformDatabase(platform.ownerPool))
                .run(folder.path + "/usage_event_2026_01.csv.gz")
            #expect(restored.events == 13)
            #expect(try await users() == 4)
            #expect(try await Self.differences(platform) == [])
        }
    }

    @Test("FOCUS has them with a unit and a price of their own, and the events' files have their kind")
    func exported() async throws {
        try await Self.run { platform in
            try await platform.rateCard(version: 1, from: "2026-01-01", tiers: [(nil, 1_000_000)], silent: 2000)
            try await Self.append(platform, logins: 1, silent: 5, on: "2026-03-10")
            let table = try #require(FocusRules.table(try await platform.export("format=focus&tenant=acme&\(TestPlatform.march)").text))
            #expect(FocusRules.violations(table) == [])
            let rows = table.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(table[0].map { $0! }, $0)).compactMapValues(\.self) }
            let row = try #require(rows.first { $0["x_LineKind"] == "silent_logins" })
            #expect(row["BilledCost"] == "0.01" && row["ContractedUnitPrice"] == "0.002" && row["ConsumedQuantity"] == "5")
            #expect(row["ConsumedUnit"] == "SilentLogins" && row["PricingUnit"] == "SilentLogins")
            #expect(row["SkuMeter"] == "Silent sign-ins")
            #expect(row["SkuId"] == "silent_login" && row["SkuPriceId"]?.hasSuffix(":silent_login:2000") == true)
            #expect(rows.count == 2)

            let csv = try await platform.export("format=csv&tenant=acme&\(TestPlatform.march)")
            #expect(csv.lines.count { $0.hasSuffix(",silent_login,own") } == 5 && csv.lines.count == 7)
            let events = try await platform.export("format=cloudevents&tenant=acme&\(TestPlatform.march)")
            #expect(events.lines.count { $0.contains(#""type":"espalier.silent_login.succeeded""#) } == 5)
            #expect(events.headers.first(name: "Export-Rows-Estimate") == "6")
        }
    }
}
