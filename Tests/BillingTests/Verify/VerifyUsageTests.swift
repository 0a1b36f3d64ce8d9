import Access
@testable import Billing
import Foundation
@testable import Ledger
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

/// `espalier usage verify`, after changes to either side.
@Suite("Verify usage")
struct VerifyUsageTests {
    private static func differences(_ platform: TestPlatform, from: String? = nil, to: String? = nil) async throws -> [String] {
        let pool = platform.pool
        let (from, to) = (from.flatMap(Day.init), to.flatMap(Day.init))
        var differences: [String] = []
        for period in try await VerifyUsage.periods(from: from, to: to, in: PlatformDatabase(pool)) {
            differences += try await VerifyUsage.verify(period, in: PlatformDatabase(pool)).differences.map {
                "\(period.slug) \(period.month): \($0)"
            }
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

    /// Archives as `archive_usage_partition` does.
    private static func archived(_ month: Month) -> SQL {
        "INSERT INTO usage_archive (month, rows, archived_at) VALUES (\(month), 1, now())"
    }

    @Test("aggregated, waiting and late-billed events agree with the ledger")
    func equal() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            #expect(try await Self.differences(platform) == [])
            try await platform.rollUp()
            #expect(try await Self.differences(platform) == [])
            try await Self.append(platform)
            #expect(try await Self.differences(platform) == [])
            try await platform.rollUp()
            // A closed February, and a later login of it.
            let acme = try #require(ID<Tenant>(platform.acme.id))
            #expect(try await platform.close(at: "2026-03-04T00:00:00Z") == 2)
            let billed = try await BilledEvents.read(of: acme, in: Month(year: 2026, month: 2), from: PlatformDatabase(platform.pool))
            try await platform.append([try moment("2026-02-28T23:59:59.999999Z")])
            #expect(try await Self.differences(platform) == [])
            try await platform.rollUp()
            #expect(try await Self.differences(platform) == [])
            let periods = try await VerifyUsage.periods(of: "acme", from: nil, to: nil, in: PlatformDatabase(platform.pool))
            #expect(periods.map(\.month) == [Month(year: 2026, month: 2), Month(year: 2026, month: 3)])
            let result = try await VerifyUsage.verify(periods[0], in: PlatformDatabase(platform.pool))
            #expect((result.events, result.waiting, result.statement) == (billed.count, 0, billed.count))

            // A price that no rate card has.
            _ = try await platform.ownerPool.run([
                "ALTER TABLE statement_line DISABLE TRIGGER statement_frozen",
                "UPDATE statement_line SET amount_micros = amount_micros + 10000 WHERE tenant_id = \(acme)",
                "ALTER TABLE statement_line ENABLE TRIGGER statement_frozen",
            ])
            #expect(
                try await Self.differences(platform) == [
                    "acme 2026-02: the statement: line 1 differs from the ledger and the prices at that time"
                ])
        }
    }

    @Test(
        "a single missing, additional or changed event is found in every place",
        arguments: [
            ("UPDATE usage_day SET events = events + 1 WHERE day = '2026-02-28' AND connection = 'own'", "in the ledger"),
            ("DELETE FROM usage_day WHERE day = '2026-02-28' AND connection = 'own'", "0 aggregated"),
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
                """
                INSERT INTO usage_arrival SELECT occurred_at, billing_period, tenant_id, id, application_id, gen_random_uuid(), kind, connection
                FROM usage_event LIMIT 1
                """, "waits to be aggregated"
            ),
        ])
    func differs(meddling: String, reported: String) async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            #expect(try await Self.differences(platform) == [])
            _ = try await platform.ownerPool.run(SQL(unsafe: meddling))
            let differences = try await Self.differences(platform)
            #expect(!differences.isEmpty)
            #expect(differences.contains { $0.contains(reported) }, "\(differences)")
        }
    }

    @Test("a closed month's events are compared with its statement, by number and by content")
    func statement() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            #expect(try await platform.close(at: "2026-04-02T00:00:00Z") == 4)
            #expect(try await Self.differences(platform) == [])
            // With the digest of an empty input.
            _ = try await platform.ownerPool.run([
                "ALTER TABLE statement DISABLE TRIGGER statement_frozen",
                "UPDATE statement SET digest = sha256('') WHERE tenant_id = \(ID<Tenant>(platform.acme.id)!)",
                "ALTER TABLE statement ENABLE TRIGGER statement_frozen",
            ])
            let differences = try await Self.differences(platform)
            #expect(differences.count == 2)
            #expect(differences.allSatisfy { $0.contains("but other events") }, "\(differences)")
        }
    }

    @Test("a month that cannot be rated is reported, and the other months are still verified")
    func tooMany() async throws {
        try await TestPlatform.run { platform in
            try await platform.plans([("2026-01-01T00:00:00Z", .enterprise)])
            let late = try moment("2026-01-31T00:00:00Z")
            try await platform.append([late])
            try await platform.rollUp()
            #expect(try await platform.close(at: "2026-02-02T00:00:00Z") == 1)
            try await platform.append([late])
            try await platform.rollUp()
            #expect(try await platform.close(at: "2026-03-02T00:00:00Z") == 1)
            #expect(try await Self.differences(platform) == [])
            _ = try await platform.ownerPool.run("UPDATE usage_day SET events = 1000000000 WHERE billing_period = '2026-01-01'")
            let differences = try await Self.differences(platform)
            #expect(differences.count == 2, "\(differences)")
            #expect(differences.first?.hasPrefix("acme 2026-01: 2026-01-31 login own") == true)
            #expect(differences.last == "acme 2026-02: the statement: 1000000001 logins cannot be rated: the limit is 1000000000")
        }
    }

    @Test("the command prints a line per month and exits with 0, or with 1 and the differences")
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

            // Days, both included. For a month that is entirely in the range, the whole month.
            func verify(_ from: String, _ to: String) async throws -> Program.Exit {
                try await Program.run(["usage", "verify", "--tenant", "acme", "--from", from, "--to", to], environment: environment)
            }
            let day = try await verify("2026-02-27", "2026-02-27")
            #expect(day.output.split(whereSeparator: \.isWhitespace) == ["acme", "2026-02-27", "20", "equal"], "\(day.errors)")
            let days = try await verify("2026-02-01", "2026-03-01")
            #expect(days.code == 1)
            #expect(
                days.output.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
                    == ["acme 2026-02 40 equal open", "acme 2026-03-01 18 differs"])
            #expect(days.errors.contains("espalier: acme 2026-03-01: 2026-03-01 login"), "\(days.errors)")
            #expect(try await verify("2026-03-02", "2026-03").code == 0)
            for (from, to) in [("2026-03-02", "2026-03-01"), ("2026-03-01", "2026-02"), ("2026-02-30", "2026-03")] {
                #expect(try await verify(from, to).code == 2)
            }
        }
    }

    @Test("a purged tenant and an archived month have only numbers")
    func archivedMonths() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            // The events of the default partition move into the month's partition, which the server's role has created.
            _ = try await platform.pool.run("SELECT create_usage_partition('2026-02-01')")
            #expect(try await Self.differences(platform) == [])
            let (database, february) = (PlatformDatabase(platform.pool), Month("2026-02")!)
            func lackEvents() async throws -> [Bool] {
                var taken: [Bool] = []
                for period in try await VerifyUsage.periods(of: "acme", from: nil, to: nil, in: database) {
                    taken.append(try await VerifyUsage.verify(period, in: PlatformDatabase(platform.pool)).lacksEvents)
                }
                return taken
            }
            #expect(try await lackEvents() == [false, false])
            // The month was not archived, so it is lost.
            _ = try await platform.ownerPool.run("ALTER TABLE usage_event DETACH PARTITION usage_event_2026_02")
            #expect(try await Self.differences(platform).contains { $0.hasPrefix("acme 2026-02") && $0.contains("0 in the ledger") })
            _ = try await platform.ownerPool.run(Self.archived(february))
            #expect(try await lackEvents() == [true, false])
            #expect(try await Self.differences(platform) == [])
            // The month is being restored. Its partition exists again and is still empty.
            _ = try await platform.ownerPool.run("DROP TABLE usage_event_2026_02")
            #expect(try await UsagePartitions.create(february, in: database))
            #expect(try await lackEvents() == [true, false])
            #expect(try await Self.differences(platform) == [])
        }
    }

    @Test("a month that is archived during the comparison is not a difference")
    func archivedMeanwhile() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            let february = Month("2026-02")!
            let periods = try await VerifyUsage.periods(of: "acme", from: nil, to: february.lastDay, in: PlatformDatabase(platform.pool))
            let verifying = try await platform.ownerPool.transaction { db in
                _ = try await db.run("LOCK TABLE usage_users")
                let verifying = Task { try await VerifyUsage.verify(periods[0], in: PlatformDatabase(platform.pool)) }
                try await eventually("the comparison has reached the users") { try await db.isWaitedFor }
                _ = try await db.run(["DELETE FROM usage_event WHERE billing_period = \(february)", Self.archived(february)])
                return verifying
            }
            let result = try await verifying.value
            #expect(result.lacksEvents && result.differences == [])
        }
    }

    @Test("for days, the sums and the users of these days are compared, regardless of the billing month")
    func days() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            #expect(try await platform.close(at: "2026-03-04T00:00:00Z") == 2)
            // Late logins, billed in March.
            try await platform.append([try moment("2026-02-28T23:59:59.999999Z"), try moment("2026-02-27T00:00:00Z")])
            let first = Day("2026-02-28")
            let periods = try await VerifyUsage.periods(of: "acme", from: first, to: first, in: PlatformDatabase(platform.pool))
            #expect(periods.map(\.days) == [first.map { $0...$0 }])
            let waiting = try await VerifyUsage.verify(periods[0], in: PlatformDatabase(platform.pool))
            #expect((waiting.events, waiting.waiting, waiting.differences) == (21, 1, []))
            try await platform.rollUp()
            let added = try await VerifyUsage.verify(periods[0], in: PlatformDatabase(platform.pool))
            #expect((added.events, added.waiting, added.statement, added.differences) == (21, 0, nil, []))
            #expect(try await Self.differences(platform, from: "2026-02-10", to: "2026-03-02") == [])

            // A difference on the next day does not belong to this day.
            _ = try await platform.ownerPool.run([
                "UPDATE usage_day SET events = events + 1 WHERE day = '2026-02-27' AND connection = 'shared'",
                "UPDATE usage_users SET users = users + 1 WHERE grain = 'day' AND starts_on = '2026-03-01' AND connection = ''",
                "UPDATE usage_users SET users = users + 1 WHERE grain = 'month'",
            ])
            #expect(try await Self.differences(platform, from: "2026-02-28", to: "2026-02-28") == [])
            let before = try await Self.differences(platform, from: "2026-02-27", to: "2026-02-28")
            #expect(before.count == 2 && before.allSatisfy { $0.contains("2026-02-27 login shared") }, "\(before)")
            let after = try await Self.differences(platform, from: "2026-03-01", to: "2026-03-01")
            #expect(!after.isEmpty && after.allSatisfy { $0.contains("users of day 2026-03-01") }, "\(after)")
        }
    }

    @Test("the users of a month are not compared while a later month with some of its logins is archived")
    func archivedUsers() async throws {
        try await TestPlatform.run { platform in
            try await Self.append(platform)
            try await platform.rollUp()
            #expect(try await platform.close(at: "2026-03-04T00:00:00Z") == 2)
            try await platform.append([try moment("2026-02-28T12:00:00Z")])
            try await platform.rollUp()
            for month in ["2026-02-01", "2026-03-01"] {
                _ = try await platform.pool.run("SELECT create_usage_partition(\(Day(month)!))")
            }
            func february(_ from: String? = nil, _ slug: String = "acme") async throws -> VerifyUsage.Result {
                let database = PlatformDatabase(platform.pool)
                let to = Day("2026-02-28")
                let periods = try await VerifyUsage.periods(of: slug, from: from.flatMap(Day.init), to: to, in: database)
                return try await VerifyUsage.verify(try #require(periods.first), in: PlatformDatabase(platform.pool))
            }
            #expect(try await february().archivedMonths == [])
            _ = try await platform.ownerPool.run("ALTER TABLE usage_event DETACH PARTITION usage_event_2026_03")
            _ = try await platform.ownerPool.run(Self.archived(Month("2026-03")!))
            let result = try await february()
            #expect((result.archivedMonths, result.differences) == ([Month("2026-03")!], []))
            let days = try await february("2026-02-28")
            #expect((days.archivedMonths, days.differences) == ([Month("2026-03")!], []))
            // Globex has no late logins.
            #expect(try await february(nil, "globex").archivedMonths == [])
            // Everything else is still compared.
            _ = try await platform.ownerPool.run(
                """
                UPDATE usage_day SET events = events + 1
                WHERE day = '2026-02-28' AND billing_period = '2026-02-01' AND connection = 'own'
                """)
            #expect(try await february().differences.count == 1)
            #expect(try await february("2026-02-28").differences.count == 1)
        }
    }
}
