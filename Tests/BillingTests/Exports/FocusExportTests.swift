import Access
@testable import Billing
import Foundation
@testable import Ledger
import NIOHTTP1
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Export as FOCUS")
struct FocusExportTests {
    private func rows(_ platform: TestPlatform, _ query: String = TestPlatform.march, key: String? = nil) async throws -> [[String: String]]
    {
        let export = try await platform.export("format=focus&\(query)", key: key)
        #expect(export.status == 200)
        let table = try #require(FocusRules.table(export.text))
        #expect(FocusRules.violations(table) == [])
        #expect(export.trailers?.first(name: "Export-Rows") == "\(table.count - 1)")
        return table.dropFirst().map { fields in
            Dictionary(uniqueKeysWithValues: zip(table[0].map { $0! }, fields)).compactMapValues(\.self)
        }
    }

    /// Makes the tenants as old as the start of the year, long after the first rate cards.
    private func age(_ platform: TestPlatform) async throws {
        _ = try await platform.ownerPool.run("UPDATE tenant_plan SET effective_at = '2026-01-01'")
    }

    private func rateCard(
        _ platform: TestPlatform, currency: String, base: Int, included: Int, minimum: Int, tiers: String, mode: String = "graduated",
        from: String = "2026-01-01"
    ) async throws {
        _ = try await platform.ownerPool.run(
            """
            INSERT INTO rate_card (tenant_id, id, version, effective_from, currency, base_fee_micros, included_logins, minimum_micros,
                tier_mode, tiers, created_at)
            VALUES (\(ID<Tenant>(platform.acme.id)!), gen_random_uuid(), (SELECT count(*) + 1 FROM rate_card WHERE plan IS NULL),
                \(from)::text::date, \(currency), \(base), \(included), \(minimum), \(mode), \(JSON(bytes: Array(tiers.utf8))), now())
            """)
    }

    @Test("an open month is exported with its current numbers, by the rate card in effect, and only in whole months")
    func open() async throws {
        try await TestPlatform.run { platform in
            try await age(platform)
            try await platform.append((0..<1001).map { time("2026-03-05T00:00:00Z").addingTimeInterval(Double($0)) })
            let rated = try await rows(platform)
            #expect(rated.count == 1)
            let row = try #require(rated.first)
            #expect(row["BillingAccountId"] == platform.acme.id)
            #expect(row["BilledCost"] == "5.00", "5.005 USD, half to even")
            #expect(row["ContractedCost"] == "5.005")
            #expect(row["PricingQuantity"] == "1001")
            #expect(row["ListUnitPrice"] == "0.005")
            #expect(row["BillingPeriodStart"] == "2026-03-01T00:00:00Z")
            #expect(row["ChargePeriodEnd"] == "2026-04-01T00:00:00Z")
            #expect(row["ServiceCategory"] == "Identity")
            #expect(row["InvoiceIssuerName"] == "login.test")
            #expect(row["x_StatementState"] == "open")
            #expect(row["InvoiceId"] == nil)
            // Globex used nothing and is charged nothing.
            #expect(try await rows(platform, key: platform.globex.api_keys[0].secret).isEmpty)
            #expect(try await rows(platform, key: platform.acme.api_keys[0].secret) == rated)
            #expect(try await rows(platform, "from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z") == rated)
            #expect(try await rows(platform, "from=2026-04-01T00:00:00Z&to=2026-06-01T00:00:00Z").isEmpty)
            // A month that has not started has no charge.
            #expect(try await rows(platform, "from=2996-04-01T00:00:00Z&to=2997-06-01T00:00:00Z").isEmpty)
        }
    }

    @Test("a tenant whose name is a formula has that name as a text")
    func names() async throws {
        try await TestPlatform.run { platform in
            try await age(platform)
            try await platform.append([time("2026-03-05T00:00:00Z")])
            for name in ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\"=1\""] {
                _ = try await platform.ownerPool.run("UPDATE tenant SET name = \(name) WHERE slug = 'acme'")
                #expect(try await rows(platform).first?["BillingAccountName"] == "'" + name)
            }
        }
    }

    @Test("fees, included logins, tiers and a minimum follow the rules, in currencies with 0, 2 and 3 decimals")
    func kinds() async throws {
        for (currency, amount) in [("USD", "0.33"), ("JPY", "0"), ("KWD", "0.333")] {
            try await TestPlatform.run { platform in
                try await age(platform)
                try await rateCard(
                    platform, currency: currency, base: 7_333_333, included: 10, minimum: 90_000_000,
                    tiers: #"[{"up_to": 50, "unit_price_micros": 7001}, {"up_to": null, "unit_price_micros": 3003}]"#)
                try await platform.append((0..<171).map { time("2026-03-05T00:00:00Z").addingTimeInterval(Double($0)) })
                let rated = try await rows(platform)
                #expect(rated.map { $0["x_LineKind"] } == ["base_fee", "included", "logins", "logins", "minimum"])
                #expect(rated.map { $0["ChargeCategory"] } == ["Purchase", "Usage", "Usage", "Usage", "Purchase"])
                #expect(rated.map { $0["PricingQuantity"] } == ["1", "10", "50", "111", "1"])
                #expect(rated.allSatisfy { $0["BillingCurrency"] == currency })
                #expect(rated[3]["BilledCost"] == amount)
                let billed = rated.reduce(Decimal(0)) { $0 + Decimal(string: $1["BilledCost"]!)! }
                #expect(billed == 90)
            }
        }
    }

    @Test("a change of prices in the middle of a month gives charges by days, each in its own period")
    func changed() async throws {
        try await TestPlatform.run { platform in
            try await age(platform)
            try await rateCard(
                platform, currency: "USD", base: 31_000_000, included: 0, minimum: 0,
                tiers: #"[{"up_to": null, "unit_price_micros": 10000}]"#,
                from: "2026-03-11")
            try await platform.append([time("2026-03-10T23:59:59.999999Z"), time("2026-03-11T00:00:00Z")])
            let rated = try await rows(platform)
            #expect(rated.map { $0["x_LineKind"] } == ["logins", "base_fee", "logins"])
            #expect(rated.map { $0["ChargePeriodStart"]?.prefix(10) } == ["2026-03-01", "2026-03-11", "2026-03-11"])
            #expect(rated.map { $0["ChargePeriodEnd"]?.prefix(10) } == ["2026-03-11", "2026-04-01", "2026-04-01"])
            #expect(rated.map { $0["ContractedCost"] } == ["0.005", "21.00", "0.01"])
        }
    }

    @Test("a price's ID names the card's version and its part, and different prices have different IDs")
    func priceIDs() async throws {
        try await TestPlatform.run { platform in
            try await age(platform)
            try await rateCard(
                platform, currency: "USD", base: 31_000_000, included: 1, minimum: 90_000_000,
                tiers: #"[{"up_to": 1, "unit_price_micros": 10000}, {"up_to": null, "unit_price_micros": 5000}]"#)
            try await rateCard(
                platform, currency: "USD", base: 31_000_000, included: 0, minimum: 0,
                tiers: #"[{"up_to": null, "unit_price_micros": 10000}]"#, from: "2026-03-11")
            try await platform.append(["03", "04", "05", "11"].map { time("2026-03-\($0)T00:00:00Z") })
            let rated = try await rows(platform)
            let cards = try await platform.ownerPool.run("SELECT id FROM rate_card WHERE plan IS NULL ORDER BY version").map {
                try $0.get("id", as: ID<RateCard>.self).description
            }
            #expect(
                rated.map { $0["SkuPriceId"] } == [
                    "\(cards[0]):base_fee:10-of-31-days", "\(cards[0]):login:included", "\(cards[0]):login:10000", "\(cards[0]):login:5000",
                    "\(cards[0]):minimum:10-of-31-days", "\(cards[1]):base_fee:21-of-31-days", "\(cards[1]):login:10000",
                ])
            let april = try await rows(platform, "from=2026-04-01T00:00:00Z&to=2026-05-01T00:00:00Z")
            #expect(april.map { $0["SkuPriceId"] } == ["\(cards[1]):base_fee"])
        }
    }

    @Test("an open month equals its upcoming statement, line by line, with terms, tiers, minimum and earlier corrections")
    func accrual() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .free), ("2026-01-11T12:00:00Z", .scale)])
            try await platform.rateCard(
                .scale, from: "2026-01-01", baseFee: 31_000_000, included: 3, minimum: 9_000_000, tiers: [(3, 2_000_000), (nil, 1_500_500)])
            for day in ["03", "12", "13", "14", "15", "20", "31"] {
                try await platform.append(Array(repeating: try moment("2026-01-\(day)T23:59:59.999999Z"), count: 2))
            }
            try await platform.rollUp()
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            // Late logins of January in both of its terms, aggregated and waiting, and February's own.
            try await platform.append([
                try moment("2026-01-08T00:00:00Z"), try moment("2026-01-31T00:00:00Z"), try moment("2026-02-01T00:00:00Z"),
            ])
            try await platform.rollUp()
            try await platform.append([try moment("2026-01-30T00:00:00Z")])

            let rated = try await rows(platform, "tenant=acme&from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z")
            let upcoming = try await platform.call("GET", "/tenants/acme/statements/upcoming?period=2026-02")
            let lines = try #require(upcoming.json["lines"] as? [[String: any Sendable]])
            #expect(lines.count { $0["kind"] as? String == "correction" } == 2)
            func day(_ text: (any Sendable)?) -> String { "\(text ?? "")" }
            #expect(
                rated.map { [$0["x_LineKind"]!, $0["ChargeDescription"]!, $0["BilledCost"]!, String($0["ChargePeriodStart"]!.prefix(10))] }
                    == lines.map { [day($0["kind"]), day($0["description"]), day($0["amount"]), day($0["first_day"])] })
            #expect(rated.filter { $0["x_LineKind"] == "correction" }.allSatisfy { $0["ChargeClass"] == "Correction" })
            let billed = rated.reduce(Decimal(0)) { $0 + Decimal(string: $1["BilledCost"]!)! }
            let total = (upcoming.json["totals"] as? [[String: any Sendable]])?.first?["amount"] as? String
            #expect(billed == Decimal(string: total ?? ""))
            // The closed month has the same charges.
            try await platform.rollUp()
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 1)
            let closed = try await rows(platform, "tenant=acme&from=2026-02-01T00:00:00Z&to=2026-03-01T00:00:00Z")
            #expect(closed.map { $0["BilledCost"] } == rated.map { $0["BilledCost"] })
            #expect(closed.map { $0["SkuPriceId"] } == rated.map { $0["SkuPriceId"] })
        }
    }

    @Test("a closed month equals its statement, with corrections and the tenant's name at that time")
    func closed() async throws {
        try await TestPlatform.run { platform in
            try await age(platform)
            let (tenant, statement) = (ID<Tenant>(platform.acme.id)!, UUID())
            let card: UUID = try await platform.ownerPool.run("SELECT id FROM rate_card WHERE plan = 'enterprise'")[0].get("id")
            func line(_ position: Int, _ kind: String, service: Month, quantity: Int, price: Int?, exact: Int, amount: Int) -> SQL {
                """
                INSERT INTO statement_line (tenant_id, period, position, kind, service_period, first_day, last_day, plan, rate_card_id,
                    rate_card_version, description, quantity, unit_price_micros, currency, exact_micros, amount_micros)
                VALUES (\(tenant), '2026-03-01', \(position), \(kind), \(service), \(service.firstDay), \(service.lastDay), 'enterprise',
                    \(card), 1, 'A line', \(quantity), \(price), 'USD', \(exact), \(amount))
                """
            }
            let (march, february) = (Month(year: 2026, month: 3), Month(year: 2026, month: 2))
            _ = try await platform.ownerPool.run([
                """
                INSERT INTO statement (tenant_id, period, id, state, tenant_slug, tenant_name, claimed_until, closing_at)
                VALUES (\(tenant), '2026-03-01', \(statement), 'closing', 'acme', '=Acme, "Inc"', now(), now())
                """,
                line(1, "logins", service: march, quantity: 3, price: 5_000, exact: 15_000, amount: 20_000),
                line(2, "correction", service: february, quantity: 1, price: nil, exact: 4_000, amount: 0),
            ])
            // While the month is being closed, nothing is exported.
            #expect(try await rows(platform).isEmpty)
            _ = try await platform.ownerPool.run(
                """
                UPDATE statement SET state = 'closed', closed_at = now(), events = 3, digest = decode(repeat('00', 32), 'hex')
                WHERE id = \(statement)
                """)
            let rated = try await rows(platform)
            #expect(rated.map { $0["x_LineKind"] } == ["logins", "correction"])
            #expect(rated.map { $0["ChargeClass"] } == [nil, "Correction"])
            #expect(rated.map { $0["BilledCost"] } == ["0.02", "0.00"])
            #expect(rated[1]["ChargePeriodStart"] == "2026-02-01T00:00:00Z")
            #expect(rated[1]["BillingPeriodStart"] == "2026-03-01T00:00:00Z")
            #expect(rated.allSatisfy { $0["InvoiceId"]?.hasPrefix("statement_") == true && $0["x_StatementState"] == "closed" })
            #expect(rated.allSatisfy { $0["BillingAccountName"] == "'=Acme, \"Inc\"" })
        }
    }

    @Test("the rules find violations")
    func rules() async throws {
        try await TestPlatform.run { platform in
            try await age(platform)
            try await platform.append([time("2026-03-05T00:00:00Z")])
            let table = try #require(FocusRules.table(try await platform.export("format=focus&\(TestPlatform.march)").text))
            #expect(FocusRules.violations(table) == [])
            for column in FocusRules.columns where column.isMandatory {
                let place = try #require(table[0].firstIndex(of: column.name))
                let without = table.map { row in row.enumerated().filter { $0.offset != place }.map(\.element) }
                #expect(!FocusRules.violations(without).isEmpty, "without \(column.name)")
            }
            for (name, value) in [
                ("BilledCost", "$1"), ("BilledCost", nil), ("BillingCurrency", "US"), ("BillingCurrency", "QQQ"),
                ("ChargeCategory", "Login"), ("ChargeClass", "Correction"), ("ChargeClass", "Late"), ("ChargeFrequency", "Daily"),
                ("ChargePeriodStart", "2026-03-01"), ("ChargePeriodStart", "2026-03-01T00:00:00+00:00"),
                ("ChargePeriodEnd", "2026-05-01T00:00:00Z"), ("ConsumedQuantity", "0"), ("ConsumedUnit", nil), ("ListCost", "7"),
                ("ContractedUnitPrice", "-0.005"), ("PricingQuantity", nil), ("PricingUnit", "logins"), ("ProviderName", ""),
                ("ServiceCategory", "identity"), ("SkuPriceId", nil), ("BillingPeriodEnd", "2026-03-01T00:00:00Z"),
            ] as [(String, String?)] {
                var broken = table
                broken[1][try #require(table[0].firstIndex(of: name))] = value
                #expect(!FocusRules.violations(broken).isEmpty, "\(name) \(value ?? "null")")
            }
            #expect(FocusRules.table("a,\"b\nc") == nil)
            #expect(FocusRules.table("a,\"b\"\"\n\",\n")! == [["a", "b\"\n", nil]])
        }
    }
}
