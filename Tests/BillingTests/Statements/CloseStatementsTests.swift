import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Close statements")
struct CloseStatementsTests {
    @Test("a month closes a day after its end, includes its last microsecond, and then never changes")
    func closes() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.append(
                [
                    "2026-01-01T00:00:00Z", "2026-01-31T23:59:59.999999Z", "2026-01-15T12:00:00Z", "2026-02-01T00:00:00Z",
                ].map(moment))
            #expect(try await platform.close(at: "2026-02-01T23:59:59Z") == 0)
            #expect(try await platform.statement("2026-01").status == 404)
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            // 1.5 cents are rounded to the even cent.
            #expect(try await platform.lines("2026-01") == ["logins 3 0.02 USD"])
            let january = try await platform.statement("2026-01")
            #expect(january.json["events"] as? Int == 3)
            #expect(try await platform.close(at: "2026-02-28T00:00:00Z") == 0)

            let acme = ID<Tenant>(platform.acme.id)!
            for statement: SQL in [
                "UPDATE statement SET events = 4 WHERE tenant_id = \(acme)", "DELETE FROM statement WHERE tenant_id = \(acme)",
                "UPDATE statement_line SET quantity = 4 WHERE tenant_id = \(acme)", "DELETE FROM statement_line WHERE tenant_id = \(acme)",
                "DELETE FROM statement_term WHERE tenant_id = \(acme)",
                "INSERT INTO statement_term SELECT tenant_id, period, '2026-01-02', last_day, rate_card_owner, rate_card_id FROM statement_term",
            ] {
                await #expect { _ = try await platform.ownerPool.run(statement) } throws: {
                    ($0 as? DatabaseError)?.constraint == "statement_frozen"
                }
            }
            // A temporary table does not replace the statements either.
            await #expect {
                _ = try await PlatformDatabase(platform.ownerPool).run([
                    "CREATE TEMP TABLE statement ON COMMIT DROP AS SELECT tenant_id, period, 'closing' AS state FROM statement",
                    """
                    INSERT INTO statement_line SELECT tenant_id, period, 9, kind, service_period, first_day, last_day, plan, rate_card_id,
                        rate_card_version, description, quantity, unit_price_micros, currency, exact_micros, amount_micros FROM statement_line
                    """,
                ])
            } throws: {
                ($0 as? DatabaseError)?.constraint == "statement_frozen"
            }
            // Later prices do not change it either.
            try await platform.rateCard(.enterprise, from: "2026-01-01", tiers: [(nil, 1_000_000)])
            #expect(try await platform.close(at: "2026-02-28T00:00:00Z") == 0)
            #expect(try await platform.statement("2026-01").json as NSDictionary == january.json as NSDictionary)
            let trail = try await platform.call("GET", "/tenants/acme/audit-events?action=statement.closed")
            let events = try #require(trail.json["data"] as? [[String: any Sendable]])
            #expect(events.map { $0["actor"] as? String } == ["system"])
            #expect(events.map { $0["subject"] as? String } == [january.json["id"] as? String])
        }
    }

    @Test("late logins are a correction on the next statement, by the prices of their own month")
    func late() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.rateCard(.enterprise, from: "2026-01-01", tiers: [(3, 1_000_000), (nil, 500_000)])
            try await platform.append((1...3).map { try moment("2026-01-0\($0)T00:00:00Z") })
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            try await platform.rateCard(.enterprise, version: 3, from: "2026-02-01", tiers: [(nil, 2_000_000)])
            try await platform.append([try moment("2026-01-31T23:59:59.999999Z"), try moment("2026-02-10T00:00:00Z")])
            let january = try await platform.statement("2026-01")
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 1)
            #expect(try await platform.lines("2026-02") == ["logins 1 2.00 USD", "correction 1 0.50 USD"])
            #expect(try await platform.statement("2026-01").json as NSDictionary == january.json as NSDictionary)
            let february = try await platform.statement("2026-02")
            #expect(february.json["events"] as? Int == 2)
            let line = try #require((february.json["lines"] as? [[String: any Sendable]])?.last)
            #expect(line["service_period"] as? String == "2026-01")
            #expect(line["rate_card_version"] as? Int == 2)
            #expect(line["unit_price"] as? String == "0.50")

            // And again two months later.
            try await platform.append([try moment("2026-01-02T00:00:00Z"), try moment("2026-02-02T00:00:00Z")])
            #expect(try await platform.close(at: "2026-04-02T00:00:00Z") == 1)
            #expect(
                try await platform.lines("2026-03") == ["logins 0 0.00 USD", "correction 1 0.50 USD", "correction 1 2.00 USD"])
        }
    }

    @Test("a login while its month is being closed is billed in the next month")
    func whileClosing() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.append([try moment("2026-01-31T00:00:00Z")])
            let now = try moment("2026-02-02T00:00:00Z")
            let database = PlatformDatabase(platform.pool)
            let month = try await due(database, at: now).first
            let taken = try await ClosingMonth.take(try #require(month), at: now, in: database)
            #expect(taken?.period == Month("2026-01"))
            try await platform.append([try moment("2026-01-31T00:00:01Z")])
            #expect(try await platform.close(at: "2026-02-02T00:10:00Z") == 1)
            #expect(try await platform.lines("2026-01") == ["logins 1 0.00 USD"])
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 1)
            #expect(try await platform.lines("2026-02") == ["logins 0 0.00 USD", "correction 1 0.01 USD"])
        }
    }

    private func due(_ database: PlatformDatabase, at now: Date) async throws -> [ClosingMonth.Candidate] {
        try await database.run(
            ClosingMonth.due(upTo: Month(now.addingTimeInterval(-CloseStatements.grace)).previous, at: now, limit: 100)
        ).map(ClosingMonth.Candidate.init)
    }

    @Test("an abandoned month is closed by another process after the lease, and no longer by the first")
    func left() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.append((1...9).map { try moment("2026-01-0\($0)T00:00:00Z") })
            let now = try moment("2026-02-02T00:00:00Z")
            let database = PlatformDatabase(platform.pool)
            let candidate = try #require(try await due(database, at: now).first)
            var first = try #require(try await ClosingMonth.take(candidate, at: now, in: database))
            try await first.renew(until: now.addingTimeInterval(700), in: database)
            // Neither this month nor the next one.
            #expect(try await platform.close(at: "2026-02-02T00:11:39Z") == 0)
            #expect(try await ClosingMonth.take(candidate, at: now, in: database) == nil)
            #expect(try await platform.close(at: "2026-02-02T00:11:40Z") == 1)
            #expect(try await platform.lines("2026-01") == ["logins 9 0.04 USD"])
            let late = first
            await #expect(throws: ClosingMonth.Lost.self) { try await database.transaction { try await late.hold(in: $0) } }
            await #expect(throws: ClosingMonth.Lost.self) { try await first.renew(until: now, in: database) }
        }
    }

    @Test("many concurrent processes close each month of each tenant once, and in order")
    func together() async throws {
        try await TestPlatform.run { platform in
            for tenant in [platform.acme, platform.globex] {
                try await platform.plans([("2026-01-01T00:00:00Z", .free)], of: tenant)
                for month in 1...6 {
                    try await platform.append((1...9).map { try moment("2026-0\(month)-0\($0)T00:00:00Z") }, of: tenant)
                }
            }
            let processes = try (0..<4).map { _ in try platform.closing() }
            let now = try moment("2026-07-02T00:00:00Z")
            let closed = try await withThrowingTaskGroup(of: Int.self) { group in
                for process in processes { group.addTask { try await process.pass(at: now) } }
                return try await group.reduce(0, +)
            }
            // One process may have found the next month held by another, which continues with it.
            #expect(closed + (try await processes[0].pass(at: now)) == 12)
            let reported = try await platform.ownerPool.run(
                """
                SELECT count(*) AS lines, count(DISTINCT (tenant_id, period)) AS statements, sum(quantity)::bigint AS logins FROM statement_line
                """)[0]
            #expect(try reported.get("lines") == 12)
            #expect(try reported.get("statements") == 12)
            #expect(try reported.get("logins") == 108)
            let listed = try await platform.call("GET", "/tenants/acme/statements?limit=100")
            let periods = (listed.json["data"] as? [[String: any Sendable]])?.map { $0["period"] as! String }
            #expect(periods == (1...6).reversed().map { "2026-0\($0)" })
        }
    }

    @Test("a change of the plan in the middle of a month, and a rate card, are billed by the days of each")
    func changed() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-04-01T00:00:00Z", .free), ("2026-04-11T09:00:00Z", .scale)])
            try await platform.rateCard(.scale, from: "2026-01-01", baseFee: 30_000_000, included: 30)
            try await platform.rateCard(.scale, version: 3, from: "2026-04-21", baseFee: 60_000_000)
            for (day, count) in [("10", 10), ("11", 20), ("21", 40)] {
                try await platform.append((0..<count).map { try moment("2026-04-\(day)T12:00:\($0 < 10 ? "0" : "")\($0)Z") })
            }
            #expect(try await platform.close(at: "2026-05-02T00:00:00Z") == 1)
            #expect(
                try await platform.lines("2026-04") == [
                    // Rounding half up would give the same: 0.05.
                    "logins 10 0.05 USD",
                    // Ten days of thirty each.
                    "base_fee 10 10.00 USD", "included 10 0.00 USD", "logins 10 0.05 USD",
                    "base_fee 10 20.00 USD", "logins 40 0.20 USD",
                ])
            let answer = try await platform.statement("2026-04")
            #expect((answer.json["totals"] as? [[String: any Sendable]])?.map { $0["amount"] as? String } == ["30.30"])
            let lines = try #require(answer.json["lines"] as? [[String: any Sendable]])
            #expect(
                lines.map { $0["first_day"] as? String } == ["2026-04-01"] + [String](repeating: "2026-04-11", count: 3)
                    + [String](repeating: "2026-04-21", count: 2))
            #expect(lines.map { $0["plan"] as? String } == ["free"] + [String](repeating: "scale", count: 5))
        }
    }

    /// Deletes Acme long enough ago for a purge.
    private static func delete(_ platform: TestPlatform) async throws {
        _ = try await platform.ownerPool.run(
            """
            UPDATE tenant SET status = 'deleted', status_before_deletion = 'active', purge_after = now() - interval '1 day'
            WHERE slug = 'acme'
            """)
    }

    @Test("a tenant deleted in the middle of a month is billed to that day, and only then purged")
    func deleted() async throws {
        try await TestPlatform.run { platform in
            try await platform.append([try moment("2026-04-10T14:59:59.999999Z"), try moment("2026-04-01T00:00:00Z")])
            try await platform.rateCard(from: "2026-01-01", baseFee: 30_000_000)
            try await platform.rollUp()
            try await Self.delete(platform)
            try await platform.plans([("2026-03-01T00:00:00Z", .enterprise), ("2026-04-10T15:00:00Z", nil)])
            #expect(try await platform.installation.purge.purgeDue() == 0)
            // March and April. There is no May.
            #expect(try await platform.close(at: "2026-08-02T00:00:00Z") == 2)
            #expect(try await platform.installation.purge.purgeDue() == 1)
            let listed = try await platform.call("GET", "/tenants/acme/statements")
            #expect((listed.json["data"] as? [[String: any Sendable]])?.map { $0["period"] as! String } == ["2026-04", "2026-03"])
            let april = try await platform.call("GET", "/tenants/acme/statements/2026-04")
            #expect(april.json["tenant_name"] as? String == "Acme")
            let lines = try #require(april.json["lines"] as? [[String: any Sendable]])
            #expect(lines.map { "\($0["kind"]!) \($0["quantity"]!) \($0["amount"]!)" } == ["base_fee 10 10.00", "logins 2 0.01"])
        }
    }

    @Test("a tenant purged before its month was closed is billed its fees")
    func purged() async throws {
        try await TestPlatform.run { platform in
            try await platform.rateCard(from: "2026-01-01", baseFee: 30_000_000)
            try await Self.delete(platform)
            #expect(try await platform.installation.purge.purgeDue() == 1)
            try await platform.plans([("2026-04-01T00:00:00Z", .enterprise), ("2026-04-10T15:00:00Z", nil)])
            #expect(try await platform.close(at: "2026-05-02T00:00:00Z") == 1)
            let april = try await platform.call("GET", "/tenants/acme/statements/2026-04")
            #expect((april.json["totals"] as? [[String: any Sendable]])?.map { $0["amount"] as? String } == ["10.00"])
            // Nothing is written to the trail of a purged tenant.
            let acme = ID<Tenant>(platform.acme.id)!
            #expect(try await platform.ownerPool.run("SELECT FROM audit_event WHERE tenant_id = \(acme)").isEmpty)
        }
    }

    @Test("a tenant purged before months closed is billed by its known number of logins")
    func counted() async throws {
        try await TestPlatform.run { platform in
            let acme = ID<Tenant>(platform.acme.id)!
            try await Self.delete(platform)
            #expect(try await platform.installation.purge.purgeDue() == 1)
            try await platform.plans([("2026-04-01T00:00:00Z", .enterprise), ("2026-04-20T15:00:00Z", nil)])
            // The state after migration 0013.
            _ = try await platform.ownerPool.run(
                """
                INSERT INTO usage_day VALUES (\(acme), '2026-04-02', '2026-04-01', \(UUID.platform), 'own', 'login', 17),
                    (\(acme), '2026-04-02', '2026-04-01', \(UUID.platform), 'shared', 'login', 2),
                    (\(acme), '2026-04-19', '2026-04-01', \(UUID.platform), 'own', 'login', 1)
                """)
            #expect(try await platform.close(at: "2026-05-02T00:00:00Z") == 1)
            let april = try await platform.call("GET", "/tenants/acme/statements/2026-04")
            let lines = try #require(april.json["lines"] as? [[String: any Sendable]])
            #expect(lines.map { "\($0["kind"]!) \($0["quantity"]!) \($0["amount"]!)" } == ["logins 20 0.10"])
            #expect(april.json["events"] as? Int == 20)
            // The digest of an empty input.
            #expect(
                april.json["digest"] as? String == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
            let periods = try await VerifyUsage.periods(of: "acme", from: nil, to: nil, in: PlatformDatabase(platform.pool))
            #expect(periods.count == 1)
            #expect(try await VerifyUsage.verify(periods[0], in: PlatformDatabase(platform.pool)).lacksEvents)
            #expect(try await platform.close(at: "2026-06-02T00:00:00Z") == 0)
        }
    }

    @Test("too many logins fail only that month, and the log contains the reason")
    func tooMany() async throws {
        try await TestPlatform.run { platform in
            let acme = ID<Tenant>(platform.acme.id)!
            try await Self.delete(platform)
            #expect(try await platform.installation.purge.purgeDue() == 1)
            try await platform.plans([("2026-04-01T00:00:00Z", .enterprise), ("2026-04-20T15:00:00Z", nil)])
            try await platform.plans([("2026-04-01T00:00:00Z", .free)], of: platform.globex)
            let logins = Prices.mostLogins + 1
            _ = try await platform.ownerPool.run(
                "INSERT INTO usage_day VALUES (\(acme), '2026-04-02', '2026-04-01', \(UUID.platform), 'own', 'login', \(logins))")
            let log = RecordedLog()
            await #expect(throws: CloseStatements.Unclosed.self) {
                try await platform.closing(logger: log.logger).pass(at: try moment("2026-05-02T00:00:00Z"))
            }
            #expect(try await platform.statement("2026-04", of: platform.globex).status == 200)
            let reported = "cause=1000000001 logins cannot be rated: the limit is 1000000000 period=2026-04 tenant=\(acme)"
            #expect(log.text.contains("cannot close a month \(reported)"), "\(log.text)")
        }
    }

    @Test("leap days belong to February, and a year includes its last microsecond")
    func calendar() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2027-12-01T00:00:00Z", .enterprise)])
            try await platform.plans([("2040-01-01T00:00:00Z", .free)], of: platform.globex)
            try await platform.rateCard(from: "2027-01-01", baseFee: 29_000_000, tiers: [(nil, 1_000_000)])
            try await platform.append(
                ["2027-12-31T23:59:59.999999Z", "2028-01-01T00:00:00Z", "2028-02-29T23:59:59.999999Z", "2028-03-01T00:00:00Z"].map(moment))
            #expect(try await platform.close(at: "2028-03-02T00:00:00Z") == 3)
            for (period, days) in [("2027-12", 31), ("2028-01", 31), ("2028-02", 29)] {
                #expect(try await platform.lines(period) == ["base_fee \(days) 29.00 USD", "logins 1 1.00 USD"])
            }
        }
    }

    @Test(
        "amounts are rounded once per line to the currency's coin, half to even",
        arguments: [
            // 5 and 15 halves of a coin.
            ("USD", 5000, 1, "0.00"), ("USD", 5000, 3, "0.02"), ("USD", 5000, 5, "0.02"), ("JPY", 500_000, 1, "0"),
            ("JPY", 500_000, 3, "2"), ("KWD", 500, 1, "0.000"), ("KWD", 500, 3, "0.002"), ("KWD", 1500, 1, "0.002"),
        ])
    func money(currency: String, price: Int, logins: Int, amount: String) async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            try await platform.rateCard(from: "2026-01-01", currency: currency, tiers: [(nil, price)])
            try await platform.append((1...logins).map { try moment("2026-01-0\($0)T00:00:00Z") })
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            #expect(try await platform.lines("2026-01") == ["logins \(logins) \(amount) \(currency)"])
        }
    }

    @Test("a month that cannot be closed is reported, does not stop the others, and the next pass takes it without waiting for the lease")
    func stuck() async throws {
        try await TestPlatform.run { platform in
            for tenant in [platform.acme, platform.globex] {
                try await platform.plans([("2026-01-01T00:00:00Z", .free)], of: tenant)
                try await platform.append([try moment("2026-01-05T00:00:00Z")], of: tenant)
            }
            // Tiers in an unreadable form.
            try await platform.rateCard(from: "2026-01-01", tiers: [(nil, 1)])
            _ = try await platform.ownerPool.run("UPDATE rate_card SET tiers = '[]' WHERE plan IS NULL")
            let error = await #expect(throws: CloseStatements.Unclosed.self) { try await platform.close(at: "2026-02-02T00:00:00Z") }
            #expect(error?.description == "1 month could not be closed, and 1 was. The log has the causes.")
            #expect(try await platform.statement("2026-01", of: platform.globex).status == 200)
            #expect(try await platform.statement("2026-01").status == 404)
            _ = try await platform.ownerPool.run(
                "UPDATE rate_card SET tiers = '[{\"up_to\": null, \"unit_price_micros\": 5000}]' WHERE plan IS NULL")
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            #expect(try await platform.statement("2026-01").status == 200)
        }
    }
}
