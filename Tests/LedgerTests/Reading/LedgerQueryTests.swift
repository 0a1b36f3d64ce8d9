import Access
import Foundation
@testable import Ledger
import Logging
import Postgres
import Server
import Tenancy
import TestSupport
import Testing

@Suite("Ledger query")
struct LedgerQueryTests {
    @Test("a page plans for and locks only one month's partition, and row-level security still separates the tenants")
    func onePart() async throws {
        try await TestPlatform.run { platform in
            _ = try await UsagePartitions(database: PlatformDatabase(platform.pool), logger: Logger(label: "test")).pass(
                at: time("2026-01-15T00:00:00Z"))
            try await platform.append([time("2026-03-05T00:00:00Z")])
            try await platform.append([time("2026-03-05T00:00:00Z")], of: platform.globex)
            let (from, to) = (time("2026-03-01T00:00:00Z"), time("2026-04-01T00:00:00Z"))
            let (acme, globex) = (ID<Tenant>(platform.acme.id)!, ID<Tenant>(platform.globex.id)!)
            let platformDatabase = PlatformDatabase(platform.pool)
            for (source, to) in [
                (LedgerPages.Source.platform(platformDatabase), to), (.platform(platformDatabase), to.addingTimeInterval(-86_400)),
                (.tenant(OwnerDatabase(platform.pool, tenant: acme)), to),
            ] {
                let ledger = try await LedgerPages(source, from: from, to: to, at: Date())
                let rows = SQL(unsafe: ledger.rows(after: ledger.start))
                let locked = try await platformDatabase.transaction { db in
                    _ = try await db.run(rows)
                    return try await db.run(
                        """
                        SELECT DISTINCT relname::text AS name FROM pg_locks JOIN pg_class ON pg_class.oid = relation
                        WHERE pid = pg_backend_pid() AND relname LIKE 'usage_event%' AND relkind IN ('r', 'p') ORDER BY 1
                        """
                    ).map { try $0.get("name", as: String.self) }
                }
                #expect(locked == ["usage_event", "usage_event_2026_03"])
            }
            // The transaction may see other rows than the text selects.
            let ledger = try await LedgerPages(.tenant(OwnerDatabase(platform.pool, tenant: acme)), from: from, to: to, at: Date())
            let rows = SQL(unsafe: ledger.rows(after: ledger.start))
            #expect(try await OwnerDatabase(platform.pool, tenant: acme).run(rows).count == 1)
            #expect(try await OwnerDatabase(platform.pool, tenant: globex).run(rows).count == 0)
        }
    }

    @Test("a file does not end normally if one of its months was archived since the start", arguments: [false, true])
    func archivedMeanwhile(isArchived: Bool) async throws {
        try await TestPlatform.run { platform in
            // More than the buffers hold for a client that does not read.
            try await platform.appendMany(200_000)
            let export = {
                try await platform.export("format=jsonl&\(TestPlatform.march)") {
                    guard isArchived else { return }
                    _ = try await platform.ownerPool.run(
                        "INSERT INTO usage_archive (month, rows, archived_at) VALUES ('2026-03-01', 200000, now())")
                }
            }
            guard isArchived else {
                #expect(try await export().lines.count == 200_000)
                return
            }
            await #expect(throws: (any Error).self) { try await export() }
        }
    }

    @Test("late logins of a restored month are missing while the month that bills them is archived")
    func lateArchived() async throws {
        try await TestPlatform.run { platform in
            let acme = ID<Tenant>(platform.acme.id)!
            _ = try await platform.ownerPool.run([
                "INSERT INTO usage_archive (month, rows, archived_at) VALUES ('2026-04-01', 1, now())",
                """
                INSERT INTO usage_day (tenant_id, day, billing_period, application_id, connection, kind, events)
                VALUES (\(acme), '2026-03-31', '2026-04-01', \(UUID()), 'own', 'login', 1)
                """,
            ])
            let answer = try await platform.export("format=csv&\(TestPlatform.march)")
            #expect(answer.status == 400)
            #expect((answer.json["detail"] as? String)?.contains("2026-04") == true)
            // Globex has no logins there and in the days before.
            #expect(try await platform.export("format=csv&\(TestPlatform.march)&tenant=globex").status == 200)
            #expect(try await platform.export("format=csv&from=2026-03-01T00:00:00Z&to=2026-03-31T00:00:00Z").status == 200)
        }
    }

    @Test("an hour of the platform is read by its own rows, regardless of the month's other rows")
    func partOfMonth() async throws {
        try await TestPlatform.run { platform in
            let tenants = 10
            try await platform.appendMany(60_000, tenants: tenants)
            let (from, to) = (time("2026-03-15T10:00:00Z"), time("2026-03-15T11:00:00Z"))
            let database = PlatformDatabase(platform.pool)
            let ledger = try await LedgerPages(.platform(database), from: from, to: to, at: Date())
            var (rows, position) = (0, ledger.start)
            while let page = try await ledger.page(after: position) { (rows, position) = (rows + page.rows, page.next) }
            let there = try await platform.ownerPool.run(
                """
                SELECT (SELECT count(*) FROM usage_event WHERE occurred_at >= \(from) AND occurred_at < \(to)) AS rows,
                    pg_relation_size('usage_event_2026_03_pkey') / 8192 AS pages
                """)
            #expect(rows > 0)
            #expect(try rows == there[0].get("rows", as: Int.self))

            /// How many blocks a page of March's partition reads.
            func blocks(_ ledger: LedgerPages) async throws -> Int {
                let start = LedgerPages.Position(period: Month(year: 2026, month: 3), time: ledger.start.time)
                let explained = try await PlatformDatabase(platform.pool).run([
                    "SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)",
                    SQL(unsafe: "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) \(ledger.rows(after: start))"),
                ])
                let text = try explained[1].first { try $0.get("QUERY PLAN", as: JSON.self) }
                let plans = try JSONSerialization.jsonObject(with: Data(text?.bytes ?? [])) as? [[String: any Sendable]]
                let plan = try #require(plans?.first?["Plan"] as? [String: any Sendable])
                let (hit, read) = (plan["Shared Hit Blocks"] as? Int, plan["Shared Read Blocks"] as? Int)
                return try #require(hit) + #require(read)
            }
            // A few blocks per tenant, and at most one per row. That is less than half of the key's blocks.
            let enough = 12 * tenants + rows
            #expect(try there[0].get("pages", as: Int.self) > 2 * enough)
            #expect(try await blocks(ledger) <= enough)
            // The window is in another month, and this month may have late logins of it. The query does not read this month completely.
            let february = try await LedgerPages(
                .platform(database), from: time("2026-02-01T00:00:00Z"), to: time("2026-03-01T00:00:00Z"), at: Date())
            #expect(try await blocks(february) <= 12 * tenants)
        }
    }

    @Test("a page with rows in another order is refused, because later rows would be missing")
    func order() async throws {
        try await TestPlatform.run { platform in
            try await platform.append((0..<3).map { time("2026-03-05T00:00:00Z").addingTimeInterval(Double($0)) })
            let columns = "tenant_id, billing_period, occurred_at, id, application_id, user_id, kind, connection"
            for (order, isRefused) in [("", false), ("DESC", true)] {
                var bytes: [UInt8] = []
                let copy = SQL(unsafe: "COPY (SELECT \(columns) FROM usage_event ORDER BY occurred_at \(order)) TO STDOUT (FORMAT binary)")
                for try await rows in PlatformDatabase(platform.pool).copyOut(copy, settings: [], atLeast: 1 << 16) { bytes += rows }
                if isRefused {
                    #expect(throws: LedgerRow.Malformed.self) { try LedgerRow.summary(of: bytes) }
                } else {
                    #expect(try LedgerRow.summary(of: bytes).rows == 3)
                }
            }
        }
    }
}
