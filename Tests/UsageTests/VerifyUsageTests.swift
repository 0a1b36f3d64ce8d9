import Foundation
import Postgres
import Server
import Tenancy
import TestSupport
import Testing
import Usage

/// `espalier usage verify`, from whichever side somebody meddles.
@Suite("Verify usage")
struct VerifyUsageTests {
    private static func differences(_ platform: TestPlatform) async throws -> [String] {
        let pool = platform.pool
        var differences: [String] = []
        for period in try await VerifyUsage.periods(of: nil, from: nil, to: nil, in: PlatformDatabase(pool)) where !period.isTakenOut {
            differences += try await VerifyUsage.verify(period, in: pool).differences.map { "\(period.slug) \(period.month): \($0)" }
        }
        return differences
    }

    private static func append(_ platform: TestPlatform) async throws {
        let users = (0..<5).map { _ in UUID() }
        for application in 0..<2 {
            for tenant in [platform.acme, platform.globex] {
                try await platform.append(
                    (0..<40).map { try! moment("2026-02-27T00:00:00Z").addingTimeInterval(Double($0) * 9000) }, of: tenant,
                    application: application, users: users, connection: application == 0 ? "own" : "shared")
            }
        }
    }

    @Test("what was added up, what waits and what is billed late all agree with the ledger")
    func equal() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            #expect(try await Self.differences(platform) == [])
            try await platform.rollUp()
            #expect(try await Self.differences(platform) == [])
            try await Self.append(platform)
            #expect(try await Self.differences(platform) == [])
            try await platform.rollUp()
            // A closed February, and a login of it that comes afterwards.
            let acme = try #require(ID<Tenant>(platform.acme.id))
            #expect(try await platform.close(at: "2026-03-04T00:00:00Z") == 2)
            let billed = try await BilledEvents.read(of: acme, in: Month(year: 2026, month: 2), from: platform.pool)
            try await platform.append([try moment("2026-02-28T23:59:59.999999Z")])
            #expect(try await Self.differences(platform) == [])
            try await platform.rollUp()
            #expect(try await Self.differences(platform) == [])
            let periods = try await VerifyUsage.periods(of: "acme", from: nil, to: nil, in: PlatformDatabase(platform.pool))
            #expect(periods.map(\.month) == [Month(year: 2026, month: 2), Month(year: 2026, month: 3)])
            let result = try await VerifyUsage.verify(periods[0], in: platform.pool)
            #expect((result.events, result.waiting, result.statement) == (billed.count, 0, billed.count))

            // A price that nobody agreed to.
            _ = try await platform.ownerPool.run([
                "ALTER TABLE statement_line DISABLE TRIGGER statement_frozen",
                "UPDATE statement_line SET amount_micros = amount_micros + 10000 WHERE tenant_id = \(acme)",
                "ALTER TABLE statement_line ENABLE TRIGGER statement_frozen",
            ])
            #expect(
                try await Self.differences(platform) == [
                    "acme 2026-02: the statement: line 1 is not what the ledger and the prices of then come to"
                ])
        }
    }

    @Test(
        "a single event too many, too few or another is found, wherever it is",
        arguments: [
            ("UPDATE usage_day SET events = events + 1 WHERE day = '2026-02-28' AND connection = 'own'", "in the ledger"),
            ("DELETE FROM usage_day WHERE day = '2026-02-28' AND connection = 'own'", "0 added up"),
            (
                "UPDATE usage_users SET users = users + 1 WHERE grain = 'month' AND application_id <> '00000000-0000-0000-0000-000000000000'",
                "users of month"
            ),
            ("DELETE FROM usage_users WHERE grain = 'day' AND starts_on = '2026-02-28'", "users of day"),
            (
                "DELETE FROM usage_event WHERE id = (SELECT id FROM usage_event WHERE billing_period = '2026-02-01' LIMIT 1)",
                "in the ledger"
            ),
            (
                """
                UPDATE usage_event SET user_id = gen_random_uuid() WHERE id = (SELECT id FROM usage_event WHERE billing_period = '2026-02-01'
                LIMIT 1)
                """, "users of"
            ),
            (
                "INSERT INTO usage_arrival SELECT now(), billing_period, tenant_id, gen_random_uuid(), application_id, user_id, kind, connection FROM usage_event LIMIT 1",
                "waits to be added up"
            ),
        ])
    func differs(meddling: String, told: String) async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            #expect(try await Self.differences(platform) == [])
            _ = try await platform.ownerPool.run(SQL(unsafe: meddling))
            let differences = try await Self.differences(platform)
            #expect(!differences.isEmpty)
            #expect(differences.contains { $0.contains(told) }, "\(differences)")
        }
    }

    @Test("a closed month's events are held to its statement: their number, and which they are")
    func statement() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            // Closed by hand, with the digest of nothing.
            try await platform.closeStatements(of: try #require(ID<Tenant>(platform.acme.id)))
            let differences = try await Self.differences(platform)
            #expect(differences.count == 2)
            #expect(differences.allSatisfy { $0.contains("not the same ones") }, "\(differences)")
        }
    }

    @Test("the command prints a line for each month and ends with 0; with 1 and what differs where something does")
    func command() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            let environment = ServedPlatform.settings(databaseURL: platform.database.serverURL, appleURL: "https://appleid.apple.com")
            let equal = try await Program.run(["usage", "verify"], environment: environment)
            #expect(equal.code == 0, "\(equal.output)")
            let lines = equal.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(
                lines.map { $0.prefix(2).joined(separator: " ") } == ["acme 2026-02", "acme 2026-03", "globex 2026-02", "globex 2026-03"])
            #expect(lines.allSatisfy { $0.suffix(2) == ["equal", "open"] })
            #expect(lines.prefix(2).compactMap { Int($0[2]) }.reduce(0, +) == 80)

            _ = try await platform.ownerPool.run("UPDATE usage_day SET events = events + 1 WHERE day = '2026-03-01'")
            let differing = try await Program.run(["usage", "verify", "--tenant", "acme", "--from", "2026-03"], environment: environment)
            #expect(differing.code == 1)
            #expect(differing.output.contains("differs"))
            #expect(differing.output.split(separator: "\n").count { $0.hasPrefix("acme  2026-03") } == 1)
            let other = try await Program.run(["usage", "verify", "--to", "2026-02"], environment: environment)
            #expect(other.code == 0)
            #expect(try await Program.run(["usage", "verify", "--tenant", "initech"], environment: environment).code == 1)
            #expect(try await Program.run(["usage", "verify", "--from", "March"], environment: environment).code == 2)
        }
    }

    @Test("of a purged tenant, and of a month that was taken out, only the numbers are there")
    func takenOut() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            // What was in the default part goes into the month's, which the server's role has made.
            _ = try await platform.pool.run("SELECT create_usage_partition('2026-02-01')")
            #expect(try await Self.differences(platform) == [])
            _ = try await platform.ownerPool.run("ALTER TABLE usage_event DETACH PARTITION usage_event_2026_02")
            let periods = try await VerifyUsage.periods(of: "acme", from: nil, to: nil, in: PlatformDatabase(platform.pool))
            #expect(periods.map(\.isTakenOut) == [true, false])
            #expect(try await Self.differences(platform) == [])
        }
    }
}
